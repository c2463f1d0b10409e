import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const first = 1;
const second = 2;
export { first, second as other };
export type Number2 = number;
show("exports", first + second);
