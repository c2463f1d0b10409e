import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

show("comparison", [1 < 2, "a" < "b", "B" < "a", 2 >= 2, 1 === 1, "1" === "1", 1 !== 2, null === null]);
