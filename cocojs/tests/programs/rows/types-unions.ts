import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

type Value = string | number | null;
function text(value: Value): string { return value === null ? "none" : typeof value === "string" ? value : `#${value}`; }
const values: Record<string, Value> = { a: "x", b: 1, c: null };
show("unions", Object.keys(values).map(key => text(values[key])));
