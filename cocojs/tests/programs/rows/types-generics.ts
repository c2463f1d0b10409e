import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function first<T>(list: T[]): T { return list[0]; }
class Stack<T> {
    private items: T[] = [];
    push(item: T): this { this.items.push(item); return this; }
    get size(): number { return this.items.length; }
}
show("generics", [first(["a", "b"]), new Stack<number>().push(1).push(2).size]);
