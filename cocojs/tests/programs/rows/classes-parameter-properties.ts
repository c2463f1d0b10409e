import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Point {
    constructor(public readonly x: number, protected y: number, private z = 1) {}
    sum(): number { return this.x + this.y + this.z; }
}
const point = new Point(1, 2);
show("point", [point.x, point.sum()]);
