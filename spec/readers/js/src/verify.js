// §10.1 verify: everything, in the order of §10.2.
import { BIN, Cursor } from './cursor.js';
import { Bytes, Sha256 } from './checksums.js';
import { fail } from './errors.js';
import { File } from './file.js';
import { TableIndex } from './index.js';
import { canonical } from './output.js';
import { Values } from './values.js';
import { WalkIndex } from './walk.js';

const aligned = (offset) => Math.ceil(offset / 8) * 8;

/** Verifies a file that was opened, with nothing kept from earlier reading. Returns the document digest in hexadecimal digits. */
export function verify(opened) {
  opened.bytes.load(0, opened.bytes.size);
  const bytes = new Bytes(opened.bytes.u8), file = new File(bytes, opened.envelope, opened.limits), values = new Values(file);
  bytes.whole = true; // all blocks were compared just now
  const { measure, ends } = values.decode();
  if (bytes.longer < Infinity) fail('MSG-NONCANON', bytes.longer, 'a form longer than needed');
  bytesBetween(file, ends);
  const index = new WalkIndex(file, values);
  offsetTables(file, values);
  indexTables(file, values, index);
  const claims = { values: measure.nodes, depth: measure.depth, landmarks: index.count };
  for (const [name, found] of Object.entries(claims)) {
    const { value, at } = file.fields.get(name);
    if (value !== found) fail('HDR-FIELD', at, `the header claims ${name} ${value}, found ${found}`);
  }
  return digest(file, values, measure);
}

/** §5.1 and §5.8: nothing stands between the elements, and padding is zero. */
function bytesBetween(file, ends) {
  const { bytes, parts, trailer } = file;
  let at = file.headerEnd;
  for (const [i, end] of ends.entries()) {
    const part = parts.get(i + 1);
    if (part.offset !== at) fail(part.offset > at ? 'MSG-TRAILING' : 'PAY-FORM', at, `part ${i + 1} does not begin here`);
    if (end !== part.end) fail('MSG-TRAILING', end, `part ${i + 1} goes on behind its value`);
    at = end;
  }
  const later = [...parts.values()].filter((part) => part.number > 4).sort((a, b) => a.offset - b.offset);
  let elements = 7;
  for (; later[0]?.offset === at; elements++) { // an element of a later version
    const c = new Cursor(bytes, at, later[0].end);
    c.skip();
    if (c.pos !== c.end) fail('MSG-TRAILING', c.pos, `part ${later[0].number} goes on behind its value`);
    at = later.shift().end;
  }
  const tables = new Cursor(bytes, at, bytes.size);
  if (tables.token() !== BIN) fail('MSG-TRAILING', at, 'bytes that no part holds');
  if (tables.pos !== bytes.size) fail('PAY-FORM', at, 'the last element does not end with the file');
  if (elements !== file.elements) fail('PAY-FORM', file.payload, `${file.elements} elements are claimed, ${elements} are there`);
  at = tables.body;
  const zero = (end, next) => {
    for (let i = at; i < end; i++) if (bytes.u8[i] !== 0) fail('PRT-PADDING', i, 'padding is not zero');
    if (end !== next) fail('PRT-PADDING', end, `padding ends here, but what follows begins at ${next}`);
  };
  for (const part of later) {
    zero(Math.min(aligned(at), part.offset), part.offset);
    at = part.number === 64 ? part.end + Math.ceil(part.length / 4096) * 4 : part.end;
  }
  zero(Math.min(aligned(at), file.directory), file.directory);
}

/** §5.9 */
function offsetTables(file, values) {
  for (const [number, element] of [[16, values.strings], [17, values.shapes], [18, values.shared]]) {
    const table = file.parts.get(number);
    for (let j = 0; table && j * 2 ** table.stride < element.count; j++) {
      if (element.entry(j) !== element.marks[j * 2 ** table.stride]) fail('IDX-DIFFERS', table.offset + j * file.width, `entry ${j} of part ${number}`);
    }
  }
}

/** §8.7: compares the bytes; a difference in an entry that leads outside is IDX-RANGE. */
function indexTables(file, values, index) {
  const { bytes, parts, width } = file, entries = { 32: width, 34: 8, 35: 4, 36: 2 * width, 40: 4, 41: 4, 43: 4, 44: 4 };
  const tables = parts.has(32) ? new TableIndex(file, values) : null;
  const some = [40, 41, 42, 43, 44, 45].filter((number) => parts.has(number));
  if (some.length % 6) fail('IDX-DIFFERS', parts.get(some[0]).offset, 'some of the edge tables are missing');
  for (const number of [32, 33, 34, 35, 36, 40, 41, 42, 43, 44, 45]) {
    const part = parts.get(number);
    if (!part) continue;
    const expected = index.table(number), end = Math.max(expected.length, part.length);
    for (let i = 0; i < end; i++) {
      if (i < expected.length && i < part.length && bytes.u8[part.offset + i] === expected[i]) continue;
      if (i < part.length) tables?.entry(number, Math.floor(i / (entries[number] ?? 1)));
      fail('IDX-DIFFERS', part.offset + i, `part ${number} is not that of the document`);
    }
  }
}

/** §4.7 */
function digest(file, values, measure) {
  const root = file.parts.get(4).offset, claim = file.fields.get('digest');
  if (measure.nodes > file.limits.streamNodes) fail('LIM-NODES', root, `expands to ${measure.nodes} values`);
  const sha = new Sha256();
  canonical(values, values.cursor(), undefined, (piece) => sha.update(piece));
  const found = sha.hex();
  const claimed = Array.from(file.bytes.u8.subarray(claim.body, claim.body + 32), (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (found !== claimed) fail('DIG-DIFFERS', claim.at, `the document has ${found}, the header says ${claimed}`);
  return found;
}
