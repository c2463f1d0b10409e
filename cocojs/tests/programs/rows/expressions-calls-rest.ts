import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function join(separator: string, ...parts: string[]): string { return parts.join(separator); }
const words = ["c", "d"];
show("rest", [join("-"), join("-", "a", "b"), join("+", ...words), Math.max(...[3, 9, 4])]);
