import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

abstract class Shape {
    constructor(protected side: number) {}
    abstract area(): number;
    describe(): string { return `area ${this.area()}`; }
}
class Square extends Shape {
    area(): number { return this.side * this.side; }
}
show("class", new Square(3).describe());
