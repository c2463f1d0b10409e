import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const list = [5, 1, 4];
show("lists", {
    mapped: list.map((n, i) => n * i), filtered: list.filter(n => n > 1), found: list.find(n => n > 3),
    index: list.findIndex(n => n === 4), some: list.some(n => n > 4), every: list.every(n => n > 4),
    sum: list.reduce((a, b) => a + b, 0), joined: list.join("/"), sliced: list.slice(1), last: list.slice(-1),
    includes: list.includes(4), at: list.indexOf(9), flat: list.flatMap(n => [n, n]),
});
