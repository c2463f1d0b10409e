import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const name = "short";
const key = "computed";
const object = { name, [key + 1]: true, "quoted key": 1, add(a: number, b: number) { return a + b; } };
show("literals", { ...object, add: object.add(1, 2), computed: object["computed1"] });
