import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

type Pair = { left: number; right: number };
type Name = string;
const pair: Pair = { left: 1, right: 2 };
const name: Name = "alias";
show(name, pair.left + pair.right);
