import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const n: any = 5;
const t: any = "5";
show("plus", [1 + 2, "a" + 1, 1 + "a", n + n, t + t, n + t, "x" + true, "y" + null]);
