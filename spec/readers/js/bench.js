// node bench.js FILE SOURCE KEY: one lookup and a full decode, against JSON.parse of the source.
import { readFileSync } from 'node:fs';
import { openBytes, openFile } from './src/node.js';

const [file, source, key] = process.argv.slice(2);
if (key === undefined) {
  console.error('usage: node bench.js FILE SOURCE KEY');
  process.exit(2);
}

/** Milliseconds of processor time, the median of some runs: other programs on the machine count little. */
function time(run, runs = 7) {
  const times = [];
  for (let i = 0; i < runs; i++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[runs >> 1];
}

const bytes = readFileSync(file), text = readFileSync(source, 'utf8');
const opened = openFile(file);
let read = 0;
const rows = [
  ['lookup: open the file, find, toJS', () => {
    const document = openFile(file), found = document.getAll(key);
    if (!found.length) throw new Error(`no landmark has the key ${key}`);
    found.forEach((landmark) => landmark.toJS());
    read = document.bytesRead();
    document.close();
  }],
  ['the same with JSON: read the file, parse all of it', () => JSON.parse(readFileSync(source, 'utf8'))],
  ['full decode: toJS', () => openBytes(bytes).toJS()],
  ['full decode: toJS, shared values aliased', () => openBytes(bytes).toJS({ shared: 'alias' })],
  ['JSON.parse of text that is in memory', () => JSON.parse(text)],
  ['toJSON: exact text', () => openBytes(bytes).toJSON()],
  ['verify', () => openBytes(bytes).verify()],
  ['lookup in an open file: find, toJS', () => opened.getAll(key).forEach((landmark) => landmark.toJS())],
];
const times = rows.map(([name, run]) => {
  const ms = time(run);
  console.log(`${ms.toFixed(3).padStart(10)} ms  ${name}`);
  return ms;
});
opened.close();
console.log(`file ${bytes.length} bytes, of which the lookup read ${read}; source ${text.length} characters`);
const ratio = (a, b) => (a < b ? `${(b / a).toFixed(1)} times faster` : `${(a / b).toFixed(1)} times slower`);
console.log(`one lookup is ${ratio(times[0], times[1])} than reading and parsing the JSON`);
console.log(`a full decode is ${ratio(times[2], times[4])} than JSON.parse`);
console.log(`with shared values aliased it is ${ratio(times[3], times[4])} than JSON.parse`);
