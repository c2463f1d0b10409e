import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

show("numbers", [0.1 + 0.2, 0xff, 1_000, 1e3, -0.5, 10 / 4, Math.floor(-1.5), Math.round(2.5), Math.trunc(-2.7)]);
