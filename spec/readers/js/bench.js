// node bench.js FILE SOURCE KEY: one lookup and a full decode, against JSON.parse of the source.
import { readFileSync } from 'node:fs';
import { openBytes, openFile } from './src/node.js';

const [file, source, key] = process.argv.slice(2);
if (key === undefined) {
  console.error('usage: node bench.js FILE SOURCE KEY');
  process.exit(2);
}

/**
 * Milliseconds of processor time of one run, so that other programs on the machine count little.
 */
function once(run) {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The median of at least seven runs, and of as many as take a second. */
function time(run) {
  const times = [];
  for (const start = performance.now(); times.length < 7 || performance.now() - start < 1000; ) times.push(once(run));
  return times.sort((a, b) => a - b)[times.length >> 1];
}

const bytes = readFileSync(file), text = readFileSync(source, 'utf8');
let read = 0;
function lookup() {
  const document = openFile(file), found = document.getAll(key);
  if (!found.length) throw new Error(`no landmark has the key ${key}`);
  found.forEach((landmark) => landmark.toJS());
  read = document.bytesRead();
  document.close();
}
console.log(`${once(lookup).toFixed(3).padStart(10)} ms  the first lookup of the process`);
const opened = openFile(file);
const rows = [
  ['lookup: open the file, find, toJS', lookup],
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
