import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

class Account {
    #balance = 10;
    #fee(): number { return 1; }
    pay(amount: number): number { this.#balance -= amount + this.#fee(); return this.#balance; }
}
show("private", new Account().pay(3));
