import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

show("before", twice(4));
function twice(n: number): number { return n * 2; }
export function thrice(n: number): number { return twice(n) + n; }
show("after", thrice(2));
