import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let a = 1;
const b = (a += 1, a * 10);
show("comma", [a, b]);
