import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const object = { b: 1, a: [2] };
show("objects", [Object.keys(object), Object.values(object), Object.entries(object), Object.assign({ c: 1 }, object)]);
show("others", [Array.isArray([]), Array.isArray({}), String(12), Boolean(""), Math.min(3, 1, 2), Math.abs(-4), Math.pow(2, 5)]);
