import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const settings = { region: "eu", zones: ["a", "b"] };
export default settings;
show("default", settings.zones.length);
