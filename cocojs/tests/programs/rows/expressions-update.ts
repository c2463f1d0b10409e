import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let i = 5;
const before = i++;
const after = ++i;
const object = { n: 1 };
object.n--;
show("update", [before, after, i, object.n]);
