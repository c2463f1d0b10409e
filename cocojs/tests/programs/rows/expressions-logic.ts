import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const empty: any = "";
const none: any = null;
show("logic", [empty || "default", none ?? "nothing", empty ?? "kept", 0 && 1, "a" && "b", !empty, !!"x", none || 0 || "end"]);
