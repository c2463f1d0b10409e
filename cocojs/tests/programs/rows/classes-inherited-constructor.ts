import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class A { constructor(public n: number, public m = 5) {} }
class B extends A { double(): number { return this.n * 2 + this.m; } }
show("inherited", [new B(4).double(), new B(1, 1).double()]);
