import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

enum Color { Red, Green = 5, Blue }
enum Word { Yes = "yes", No = "no" }
show("enum", [Color.Red, Color.Green, Color.Blue, Color[5], Word.Yes]);
