import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let rounds = 0;
do { rounds++; if (rounds === 2) continue; } while (rounds < 4);
let once = 0;
do { once++; } while (false);
show("do", [rounds, once]);
