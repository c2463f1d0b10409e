import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let a = 1, b = 2, c: any = 0;
[a, b] = [b, a];
show("swapped", { a, b });
const whole = [a, , b = 7, ...c] = [1, 9, undefined as any, 4, 5];
show("list", { a, b, c, whole });
const target: any = { list: [0, 0] };
const key = "k";
({ x: target.x, y: target["y"] = 8, [key]: target.list[1], ...target.rest } = { x: 1, k: 2, z: 3 } as any);
show("object", target);
let p: any, q: any;
({ p, q = 5 } = { p: { deep: [6] } } as any);
({ p: { deep: [p] } } = { p: { deep: [6] } });
show("names", { p, q });
const seen: any[] = [];
let first: any, second: any;
for ([first, second = 0] of [[1, 2], [3]] as any[]) { seen.push(first + second); }
for ({ first } of [{ first: "f" }]) { seen.push(first); }
[first, ...second] = "xyz";
show("loops", { seen, first, second });
const [entry] = new Map<string, number>([["one", 1]]);
const { [key]: taken, ...left } = { k: 1, l: 2 } as any;
show("declared", { entry, taken, left });
