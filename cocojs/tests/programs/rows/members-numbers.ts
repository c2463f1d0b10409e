import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

show("whole", [Number("42"), Number(" 007 "), Number("-0.50"), Number("+1e3"), Number("1.5E-2"), Number("")]);
show("others", [Number(true), Number(false), Number(7.5), Number(".5"), Number("5.")]);
show("invalid", [isNaN(Number("4x")), Number.isNaN(Number("e1")), Number.isNaN(1), isNaN(Number("."))]);
show("parsed", [parseInt("12px"), parseInt("-7.9", 10), parseFloat("3.25rem"), parseFloat("-1e2e"), Number.parseInt("0019")]);
show("unparsed", [Number.isNaN(parseInt("px")), Number.isNaN(parseInt(".5")), Number.isNaN(parseFloat("-"))]);
show("integers", [Number.isInteger(3), Number.isInteger(3.5), Number.isInteger("3" as any), Number.isInteger(-2)]);
const port = Number("80") + 1;
show("sum", { port, text: "port " + port, list: ["1", "2"].map(Number), full: [1, 0, "", "x"].filter(Boolean), texts: [1, true].map(String) });
