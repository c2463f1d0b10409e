import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

let n = 10;
n += 5; n -= 3; n *= 2; n /= 4; n **= 2;
let bits = 12;
bits &= 10; bits |= 1; bits ^= 3; bits <<= 2; bits >>= 1;
let text = "a";
text += 1;
const list = [1, 2];
list[0] += 10;
show("operators", [n, bits, text, list]);
