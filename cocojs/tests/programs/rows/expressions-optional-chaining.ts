import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const full: any = { a: { b: 1, f: (n: number) => n + 1 } };
const empty: any = {};
show("chaining", [full?.a?.b, empty.a?.b === undefined, empty?.a?.["b"] ?? "none", full.a?.f?.(2), empty.f?.() === undefined]);
