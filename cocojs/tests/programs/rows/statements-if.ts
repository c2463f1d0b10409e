import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function sign(n: number): string {
    if (n < 0) return "negative";
    else if (n === 0) return "zero";
    return "positive";
}
show("if", [sign(-1), sign(0), sign(1)]);
