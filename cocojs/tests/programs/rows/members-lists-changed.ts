import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const list = [3, 1, 2];
list.sort((a, b) => a - b);
const first = list.shift();
list.unshift(9);
const last = list.pop();
list.push(7);
list.reverse();
show("changed", { list, first, last, joined: list.concat([1, 2]).length });
