// §10.1 verify: everything, in the order of §10.2.
import { Bytes } from './checksums.js';
import { Cursor, integerAt } from './cursor.js';
import { fail, need } from './errors.js';
import { EDGE_TABLES, ENTRIES, File, INDEX_TABLES, REQUIRED } from './file.js';
import { Index, makeTables } from './index.js';
import { Measure } from './measure.js';
import { canonical } from './output.js';
import { sha256 } from './hashes.js';
import { Values } from './values.js';

/**
 * Verifies an opened file, without anything kept from before. Returns the digest in hexadecimal
 * digits.
 */
export function verify(opened) {
  opened.bytes.load(0, opened.bytes.size);
  const bytes = new Bytes(opened.bytes.u8), file = new File(bytes, opened.envelope, opened.limits);
  const values = new Values(file);
  bytes.whole = true; // all blocks were compared just now
  const measure = new Measure(values).document();
  need(bytes.longer === Infinity, 'MSG-NONCANON', bytes.longer, 'a form longer than needed');
  bytesBetween(file);
  const hasEdges = EDGE_TABLES.some((number) => file.parts.has(number)); // else there may be any number
  const tables = makeTables(file, values, hasEdges), landmarks = tables.get(32).length / file.width;
  offsetTables(file, values);
  indexTables(file, tables, new Index(file, values, { asItIs: true }));
  for (const [name, found] of Object.entries({ values: measure.nodes, depth: measure.depth, landmarks })) {
    const { value, at } = file.fields.get(name);
    need(value === found, 'HDR-FIELD', at, `the header claims ${name} ${value}, found ${found}`);
  }
  return digest(file, values, measure);
}

/** §5.1 and §5.8: there is nothing between the elements, and padding is zero. */
function bytesBetween(file) {
  const { bytes, parts } = file;
  let at = file.headerEnd;
  for (const { number, offset, end } of REQUIRED.map((element) => parts.get(element))) {
    need(offset === at, 'MSG-TRAILING', at, `part ${number} does not begin here`);
    at = end;
  }
  const others = [...parts.values()].filter(({ number }) => !REQUIRED.includes(number)), tables = [];
  let elements = 7;
  for (const part of others.sort((a, b) => a.offset - b.offset || a.end - b.end)) {
    const { number, offset, length, end } = part;
    if (offset !== at || !length || number in ENTRIES) tables.push(part);
    else { // an element of a later version
      const c = new Cursor(bytes, at, end);
      c.skip();
      need(c.pos === end, 'MSG-TRAILING', c.pos, `part ${number} continues after its value`);
      at = end;
      elements++;
    }
  }
  const first = bytes.u8[at], width = 2 ** (first - 0xc4), body = at + 1 + width;
  const isBin = first >= 0xc4 && first <= 0xc6 && body <= bytes.size;
  const isLast = isBin && body + integerAt(bytes.view, at + 1, width, false) === bytes.size;
  need(isLast, 'MSG-TRAILING', at, 'bytes that no part holds');
  bytes.longer = Infinity; // those of elements of later versions are not ours to judge
  new Cursor(bytes, at, bytes.size).token();
  need(bytes.longer === Infinity, 'MSG-NONCANON', at, 'a form longer than needed');
  at = body;
  tables.push({ number: 0, offset: file.directory, length: 0, end: bytes.size, entry: file.trailer });
  for (const { number, offset, length, end, entry } of tables) {
    need(offset >= at, entry === file.trailer ? 'TRL-FIELD' : 'PRT-RANGE', entry, `part ${number} overlaps`);
    for (; at < offset; at++) need(bytes.u8[at] === 0, 'PRT-PADDING', at, 'padding is not zero');
    at = number === 64 ? end + Math.ceil(length / 4096) * 4 : end;
  }
  need(elements === file.elements, 'PAY-FORM', file.payload, `${file.elements} are claimed, not ${elements}`);
}

/** §5.9 */
function offsetTables(file, values) {
  for (const [number, element] of [[16, values.strings], [17, values.shapes], [18, values.shared]]) {
    const table = file.parts.get(number);
    for (let j = 0; table && j * 2 ** table.stride < element.count; j++) {
      const isRight = element.entry(j) === element.starts[j * 2 ** table.stride];
      need(isRight, 'IDX-DIFFERS', table.offset + j * file.width, `entry ${j} of part ${number}`);
    }
  }
}

/** §8.7: compares the bytes; a difference in an entry that leads outside is IDX-RANGE. */
function indexTables(file, made, index) {
  const { bytes, parts } = file;
  const hasEdges = EDGE_TABLES.every((number) => parts.has(number));
  for (const number of [...INDEX_TABLES, ...EDGE_TABLES]) {
    const part = parts.get(number);
    if (!part) continue;
    const isAlone = !hasEdges && EDGE_TABLES.includes(number);
    need(!isAlone, 'IDX-DIFFERS', part.offset, 'one of the edge tables is missing');
    const expected = made.get(number) ?? new Uint8Array(0), found = bytes.u8.subarray(part.offset, part.end);
    const end = Math.max(expected.length, found.length);
    for (let i = 0; i < end; i++) {
      if (expected[i] === found[i]) continue;
      const entry = Math.floor(i / file.entrySize(number));
      const isUsed = parts.has({ 35: 36, 36: 35 }[number] ?? 32);
      if (isUsed && i < found.length) number === 34 ? index.family(entry) : index.entry(number, entry);
      fail('IDX-DIFFERS', part.offset + i, `part ${number} is not that of the document`);
    }
  }
}

/** §4.7 */
function digest(file, values, measure) {
  const { root } = file, claim = file.fields.get('digest');
  need(measure.nodes <= file.limits.streamNodes, 'LIM-NODES', root, `expands to ${measure.nodes} values`);
  const sha = sha256();
  canonical(values, values.cursor(), undefined, (piece) => sha.update(piece));
  const found = sha.hex(), hex = (byte) => byte.toString(16).padStart(2, '0');
  const claimed = Array.from(claim.value, hex).join('');
  need(found === claimed, 'DIG-DIFFERS', claim.at, `the document has ${found}, the header says ${claimed}`);
  return found;
}
