import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const object: any = { a: 1, b: undefined };
show("in", ["a" in object, "c" in object]);
