import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function counter() {
    let count = 0;
    return { up: () => ++count, value: () => count };
}
const one = counter();
const other = counter();
one.up(); one.up(); other.up();
show("closures", [one.value(), other.value()]);
