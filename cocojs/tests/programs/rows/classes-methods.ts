import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Counter {
    static made = 0;
    private count = 0;
    constructor(private step: number) { Counter.made++; }
    next(): number { this.count += this.step; return this.count; }
    static total(): number { return Counter.made; }
}
const counter = new Counter(3);
counter.next();
show("methods", [counter.next(), Counter.total()]);
