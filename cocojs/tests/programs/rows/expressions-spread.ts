import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const list = [1, 2];
const object = { a: 1, b: 2 };
show("spread", [[0, ...list, 3], { ...object, b: 3, c: 4 }, [..."ab"]]);
const copy = [...list];
copy.push(9);
show("copies", [list.length, copy.length]);
