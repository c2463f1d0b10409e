import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let calls = 0;
function next(): number { calls++; return calls; }
function f(a: number, b = a + 1, c = next()): number[] { return [a, b, c]; }
show("defaults", [f(1), f(1, 5), f(1, undefined, 7), calls]);
