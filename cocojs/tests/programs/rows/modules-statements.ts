import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const list: number[] = [];
list.push(1);
for (const n of [2, 3]) { list.push(n); }
if (list.length === 3) { list.push(4); }
show("statements", list);
