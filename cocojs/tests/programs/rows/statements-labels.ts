import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const pairs: string[] = [];
outer: for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 4; j++) {
        if (j === 2) continue outer;
        if (i === 3) break outer;
        pairs.push(`${i}${j}`);
    }
}
show("labels", pairs);
