import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const object: any = { x: 1, y: 2, "a-b": 3 };
const keys: string[] = [];
let total = 0;
for (const key in object) { keys.push(key); total += object[key]; }
show("for in", { keys, total });
