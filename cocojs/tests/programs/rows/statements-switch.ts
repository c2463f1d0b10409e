import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function kind(value: string): string {
    let found = "";
    switch (value) {
        case "a": found += "A";
        case "b": found += "B"; break;
        default: found += "?"; break;
        case "c": found += "C";
    }
    return found;
}
show("switch", ["a", "b", "c", "d"].map(kind));
