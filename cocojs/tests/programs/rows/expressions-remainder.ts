import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

show("remainder", [7 % 3, -7 % 3, 7.5 % 2, 7 % -3]);
