import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const made: (() => number)[] = [];
for (const n of [1, 2, 3]) { made.push(() => n * 10); }
show("for of", made.map(f => f()));
