import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let a: any = null;
let b: any = 0;
let c: any = "x";
a ??= "set";
b ||= 7;
c &&= "y";
show("assignment", [a, b, c]);
