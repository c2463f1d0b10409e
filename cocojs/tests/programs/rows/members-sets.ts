import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const set = new Set<string>(["a", "b", "a"]);
set.add("c").add("b");
show("added", { size: set.size, has: set.has("c"), hasNot: set.has("d"), items: [...set] });
show("deleted", { first: set.delete("a"), again: set.delete("a"), items: Array.from(set) });
const seen: string[] = [];
set.forEach((value) => seen.push(value + "!"));
for (const value of set) { seen.push(value); }
show("visited", seen);
const [first] = set;
const unknown: any = set;
show("unknown", { first, has: unknown.has("b"), size: unknown.size, is: unknown instanceof Set, not: seen instanceof Set });
function union(x: Set<number>, y: ReadonlySet<number>): Set<number> { return new Set([...x, ...y]); }
show("union", [...union(new Set([1, 2]), new Set([2, 3]))]);
show("copies", { text: Array.from("xyz"), squares: Array.from([1, 2], (item) => item * item) });
show("counted", { empty: Array.from({ length: 2 }).length, numbers: Array.from({ length: 3 }, (_, at) => at * 2) });
show("map", { entries: Array.from(new Map([["k", 1]])), of: Array.of(1, 2) });
set.clear();
show("cleared", set.size);
