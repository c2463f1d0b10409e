import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

show("bits", [5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -16 >> 2, 2 ** 10]);
