import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const values: any[] = [1, "a", true, undefined, {}, [], () => 1];
show("typeof", values.map(value => typeof value));
