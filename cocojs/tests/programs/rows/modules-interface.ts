import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

interface Options { size: number; label?: string; }
function labelled(options: Options): string { return options.label ?? `size ${options.size}`; }
show("interface", [labelled({ size: 1 }), labelled({ size: 2, label: "two" })]);
