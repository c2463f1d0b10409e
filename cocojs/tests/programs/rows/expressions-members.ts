import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const object: any = { a: { b: [1, { c: "deep" }] }, "x y": 2 };
show("members", [object.a.b[1].c, object["x y"], object.missing === undefined]);
