// The differences of two files as jsondiffpatch finds them, with resources paired by their URNs.
import { readFileSync } from "node:fs";
import * as jsondiffpatch from "jsondiffpatch";

const [old, new_] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const differ = jsondiffpatch.create({ objectHash: (value) => value.urn ?? JSON.stringify(value) });
console.log(JSON.stringify(differ.diff(old, new_)));
