import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function check(n: number): string {
    try {
        if (n > 1) throw new Error("too large");
        return "good";
    } catch (error: any) {
        return error.message;
    }
}
show("throw", [check(1), check(2)]);
