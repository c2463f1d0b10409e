import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const user = { name: "Ann", age: 30 };
show("templates", [`${user.name} is ${user.age + 1}`, `a${1}${true}b`, `line
two`, `${null}`]);
