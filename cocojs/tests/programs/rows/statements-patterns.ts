import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const { a, b: renamed, c = 3, ...rest } = { a: 1, b: 2, d: 4, e: 5 } as any;
const [first, , third = 9, ...others] = [1, 2, undefined, 4, 5];
function area({ width, height = 2 }: { width: number; height?: number }): number { return width * height; }
show("patterns", { a, renamed, c, rest, first, third, others, area: area({ width: 3 }) });
