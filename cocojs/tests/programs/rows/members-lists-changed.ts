import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const list = [3, 1, 2];
list.sort((a, b) => a - b);
const first = list.shift();
list.unshift(9);
const last = list.pop();
list.push(7);
list.reverse();
show("changed", { list, first, last, joined: list.concat([1, 2]).length });
const removed = list.splice(1, 2);
show("spliced", { removed, list: list.slice(), rest: list.splice(-1), all: list.splice(0) });
show("filled", { filled: [1, 2].fill(0), flat: [1, [2, [3]]].flat(), deep: [[[1]]].flat(2) });
show("found", { at: [1, 2].at(-1), none: [1].at(3) === undefined, last: [1, 2, 1].lastIndexOf(1), even: [2, 4, 5].findLast((n) => n % 2 === 0) });
const pairs = Object.fromEntries([["a", 1], ["b", 2]]);
const visited: any[] = [];
new Map([["k", 5]]).forEach((value, key) => visited.push(key + value));
show("pairs", { pairs, visited, character: "abc".at(-1), start: "  x ".trimStart(), end: " x  ".trimEnd() });
const numbered: any[] = [];
for (const [at, item] of ["x", "y"].entries()) { numbered.push(at + 1, item); }
show("numbered", { numbered, keys: [...["x", "y"].keys()], values: [...["x"].values()] });
