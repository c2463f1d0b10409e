import { Resource } from "coconut/resource";

class Result extends Resource {
    constructor(public name: string, public value: any) { super(); }
}

function show(name: string, value: any): void { new Result(name, value); }

const text = "Hello, World";
show("texts", [
    text.length, text.toUpperCase(), text.toLowerCase(), text.slice(0, 5), text.slice(-5), text.substring(7, 9),
    text.charAt(4), text.indexOf("o"), text.includes("World"), text.startsWith("Hell"), text.endsWith("d"),
    text.replace("l", "L"), text.replaceAll("l", "L"), "ab".repeat(3), "7".padStart(3, "0"), "7".padEnd(3, "."),
    "  x ".trim(), text.split(", "), "a".concat("b"),
]);
