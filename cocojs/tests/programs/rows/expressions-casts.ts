import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Box { constructor(public n: number) {} }
const unknown: any = new Box(4);
const direct = [1, 2] as const;
const checked = { size: 1 } satisfies { size: number };
show("casts", [(unknown as Box).n, (<Box>unknown).n, direct[1], checked.size, unknown!.n]);
