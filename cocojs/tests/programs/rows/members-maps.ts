import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const map = new Map<string, number>();
map.set("b", 1);
map.set("a", 2);
map.set("b", 3);
show("maps", [map.size, map.get("b"), map.has("c"), [...map.keys()], [...map.values()]]);
