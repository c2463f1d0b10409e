import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const pick = (value: any) => value ? "yes" : "no";
show("conditional", [pick(0), pick(1), pick(""), pick("0"), pick(null), pick([]), pick({})]);
