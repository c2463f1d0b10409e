import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Base {
    tags: string[] = ["base"];
    constructor(public name: string) { this.tags.push(name); }
    hello(): string { return `hello ${this.name}`; }
}
class Derived extends Base {
    extra = this.name + "!";
    constructor(name: string) { super(name.toUpperCase()); this.tags.push(this.extra); }
    hello(): string { return super.hello() + ", again"; }
}
const derived = new Derived("x");
show("super", [derived.hello(), derived.tags]);
