// Loops, methods of lists, texts and maps, closures.

function same(found: any, expected: any, what: string) {
    if (found !== expected) {
        throw `${what}: ${found}, not ${expected}`;
    }
}

let sum = 0;
for (const n of [ 1, 2, 3 ]) { if (n === 2) { continue; } sum += n; }
same(sum, 4, "for of");
let letters = "";
for (const c of "abc") { letters = c + letters; }
same(letters, "cba", "for of a text");
let keys = "";
for (const k in { x: 1, y: 2 }) { keys += k; }
same(keys, "xy", "for in");
const functions: (() => number)[] = [];
for (const i of [ 1, 2, 3 ]) { functions.push(() => i); }
same(functions.map(f => f()).join("-"), "1-2-3", "each round has its own variable");
let rounds = 0;
do { rounds++; if (rounds === 2) { continue; } } while (rounds < 3);
same(rounds, 3, "do while");
outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j === 1) { continue outer; } if (i === 2) { break outer; } sum++; } }
same(sum, 6, "labels");
let numbers = [ 3, 1, 2 ];
same(numbers.map(x => x * 2).join(","), "6,2,4", "map");
same(numbers.map((x, i) => x * i).join(","), "0,1,4", "map with index");
same(numbers.filter(x => x > 1).length, 2, "filter");
same(numbers.reduce((a, x) => a + x, 0), 6, "reduce");
same(numbers.some(x => x === 1), true, "some"); same(numbers.every(x => x > 1), false, "every");
same(numbers.find(x => x < 3), 1, "find"); same(numbers.indexOf(2), 2, "indexOf"); same(numbers.includes(7), false, "includes");
same([ ...numbers ].sort((a, b) => a - b).join(""), "123", "sort"); same(numbers.slice(1).length, 2, "slice");
same(numbers.concat([ 4 ], 5).length, 5, "concat"); same(numbers.push(9), 4, "push"); same(numbers.pop(), 9, "pop");
numbers.forEach(x => { sum += x; });
same(sum, 12, "forEach");
let late: any = [ 1, 2 ];
same(late.map((x: number) => x + 1).join(), "2,3", "method of an unknown list");
same("a-b-c".split("-").length, 3, "split"); same("abc".slice(1), "bc", "slice of a text"); same("abc".indexOf("c"), 2, "indexOf of a text");
same("aXb".replace("X", "-"), "a-b", "replace"); same("ab".toUpperCase(), "AB", "upper case"); same(" a ".trim(), "a", "trim");
same("abc".startsWith("ab"), true, "startsWith"); same("abc".endsWith("bc"), true, "endsWith"); same("x".repeat(3), "xxx", "repeat");
same("7".padStart(3, "0"), "007", "padStart"); same("abc".charAt(1), "b", "charAt"); same("abc".length, 3, "length");
const map = new Map<string, number>([ [ "a", 1 ], [ "b", 2 ] ]);
map.set("c", 3);
same(map.get("c"), 3, "map get"); same(map.has("z"), false, "map has"); same(map.size, 3, "map size");
let pairs = "";
for (const [ k, v ] of map) { pairs += k + v; }
same(pairs, "a1b2c3", "for of a map");
same(Object.keys({ a: 1, b: 2 }).length, 2, "keys"); same(Object.values({ a: 1, b: 2 }).join(), "1,2", "values");
same(Object.entries({ a: 1 })[0][0], "a", "entries"); same(Object.assign({}, { a: 1 }).a, 1, "assign");
same(Math.max(1, 5, 3), 5, "max"); same(Math.floor(2.7), 2, "floor"); same(Math.floor(-2.5), -3, "floor below zero"); same(Math.abs(-4), 4, "abs");
same(String(5), "5", "String"); same(Boolean(""), false, "Boolean"); same(Array.isArray([]), true, "isArray");
function counter() { let n = 0; return { next: () => ++n }; }
const c = counter(); c.next();
same(c.next(), 2, "closure");
same(later(), 1, "functions are visible before their declaration");
function later() { return inner(); function inner() { return 1; } }
let caught = "";
try { throw new Error("bad"); } catch (e) { caught = e.message; } finally { caught += "!"; }
same(caught, "bad!", "exceptions");
switch (caught) { case "x": caught = "y"; break; case "bad!": caught = "z"; default: caught += "z"; }
same(caught, "zz", "switch");
const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2);
same(fib(10), 55, "recursion");
let labelled = "";
each: for (const a of [ "a", "b" ]) { for (const b of [ 1, 2, 3 ]) { if (b === 2) { continue each; } labelled += a + b; } }
same(labelled, "a1b1", "continue of a labelled loop over items");
once: do { for (;;) { break once; } } while (true);
let deep: any = [ [ [ 1 ] ] ];
same(deep.map((x: any) => x.map((y: any) => y.map((z: any) => z + 1))).flatMap((x: any) => x)[0][0], 2, "nested methods of unknown lists");
same([ 1, 2, 3 ].map(x => x + 1).filter(x => x > 2).map(x => x * 2).reduce((a, b) => a + b, 0), 14, "chained methods");
class Stack { private all: number[] = []; push(n: number) { this.all.push(n); return this; } map() { return "own"; } size() { return this.all.length; } }
same(new Stack().push(1).push(2).size(), 2, "methods of a class with names of lists");
let unknown: any = new Stack();
same(unknown.map(), "own", "own method of an unknown object");
