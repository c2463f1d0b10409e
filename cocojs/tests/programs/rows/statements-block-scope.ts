import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let x = "outer";
{
    let x = "inner";
    x += "!";
}
show("scope", x);
