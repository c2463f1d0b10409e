import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let sum = 0;
for (let i = 0, step = 2; i < 10; i += step) { if (i === 4) continue; sum += i; }
let j = 0;
for (;;) { if (++j > 4) break; }
show("for", [sum, j]);
