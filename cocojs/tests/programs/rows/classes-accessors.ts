import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Temperature {
    private celsius = 20;
    get fahrenheit(): number { return this.celsius * 9 / 5 + 32; }
    set fahrenheit(value: number) { this.celsius = (value - 32) * 5 / 9; }
    get plain(): number { return this.celsius; }
}
const temperature = new Temperature();
const before = temperature.fahrenheit;
temperature.fahrenheit = 212;
show("accessors", [before, temperature.plain]);
