import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const sizes = new Map<string, number>([["a", 1], ["b", 2]]);
const found: string[] = [];
for (const [name, size] of sizes) { found.push(`${name}=${size}`); }
show("pairs", found);
