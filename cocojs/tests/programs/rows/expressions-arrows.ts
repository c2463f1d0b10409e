import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const compose = (f: (n: number) => number, g: (n: number) => number) => (n: number) => f(g(n));
const inc = (n: number) => n + 1;
const object = (n: number) => ({ n });
show("arrows", [compose(inc, n => n * 10)(4), object(3)]);
