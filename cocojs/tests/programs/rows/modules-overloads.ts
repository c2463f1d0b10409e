import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

function size(of: string): number;
function size(of: string[]): number;
function size(of: any): number { return of.length; }
show("overloads", [size("four"), size(["a"])]);
