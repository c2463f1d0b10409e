import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function outer(n: number): number {
    return inner(n) + 1;
    function inner(m: number): number { return m * 2; }
}
show("nested", outer(5));
