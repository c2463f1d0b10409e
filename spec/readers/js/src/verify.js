// §10.1 verify: everything, in the order of §10.5.
import { Bytes } from './checksums.js';
import { BIN, Cursor } from './cursor.js';
import { need } from './errors.js';
import { File, REQUIRED } from './file.js';
import { hex, sha256 } from './hashes.js';
import { Index } from './index.js';
import { NONE } from './keys.js';
import { Measure } from './measure.js';
import { canonical } from './output.js';
import { Values } from './values.js';
import { words } from './walk.js';

/**
 * Verifies an opened file, without anything kept from before. Returns the digest in hexadecimal
 * digits.
 */
export function verify(opened) {
  opened.bytes.load(0, opened.bytes.size);
  const bytes = new Bytes(opened.bytes.u8), file = new File(bytes, opened.envelope, opened.limits);
  const values = new Values(file), { root, limits } = file;
  bytes.whole = true; // all blocks were compared just now
  const { nodes, bytes: length, depth } = new Measure(values).document();
  need(bytes.longer === Infinity, 'MSG-NONCANON', bytes.longer, 'a form longer than needed');
  bytesBetween(file);
  const index = new Index(file, values, { walk: true });
  tables(file, values, index);
  need(nodes <= limits.streamNodes, 'LIM-NODES', root, `expands to ${nodes} values`);
  need(length <= limits.streamBytes, 'LIM-BYTES', root, `expands to ${length} bytes of text`);
  for (const [name, found] of Object.entries({ values: nodes, depth, landmarks: index.count })) {
    const { value, at } = file.fields.get(name);
    need(value === found, 'HDR-FIELD', at, `the header claims ${name} ${value}, found ${found}`);
  }
  const claim = file.fields.get('digest'), found = digest(values, values.cursor());
  need(found === hex(claim.value), 'DIG-DIFFERS', claim.at, `the document has ${found}`);
  return found;
}

/** §10.5: there is nothing between the elements, and padding is zero. */
function bytesBetween(file) {
  const { bytes, parts } = file;
  let at = parts.get(4).end;
  const others = [...parts.values()].filter(({ number }) => !REQUIRED.includes(number)), tables = [];
  for (const part of others.sort((a, b) => a.offset - b.offset || a.end - b.end)) {
    if (part.offset !== at || !part.isElement) tables.push(part);
    else { // an element of a later version
      const c = new Cursor(bytes, at, part.end);
      c.skip();
      need(c.pos === part.end, 'MSG-TRAILING', c.pos, `part ${part.number} continues after its value`);
      at = part.end;
    }
  }
  const early = tables.find(({ offset }) => offset <= at), last = new Cursor(bytes, at, bytes.size);
  need(!early, 'PRT-RANGE', early?.entry, 'a table before the last element');
  bytes.longer = Infinity; // forms in elements of later versions are not ours to judge
  let isLast = false;
  try {
    isLast = last.token() === BIN && last.pos === bytes.size;
  } catch {} // it is something else
  need(isLast, 'MSG-TRAILING', at, 'bytes that no part holds');
  need(bytes.longer === Infinity, 'MSG-NONCANON', at, 'a form longer than needed');
  const behind = parts.get(64)?.offset ?? Infinity, elements = 7 + others.length - tables.length;
  at = last.body;
  for (const { number, isElement, offset, end, entry } of tables) {
    const isHere = offset >= at && offset <= behind && !isElement;
    need(isHere, 'PRT-RANGE', entry, `part ${number} is in a wrong place`);
    padding(bytes, at, offset);
    at = number === 64 ? file.rootEnd : end;
  }
  padding(bytes, at, file.directory);
  need(elements === file.elements, 'PAY-FORM', file.payload, `${file.elements} are claimed, not ${elements}`);
}

function padding(bytes, from, to) {
  for (let at = from; at < to; at++) need(bytes.u8[at] === 0, 'PRT-PADDING', at, 'padding is not zero');
}

/** §8.7: compares the tables with those that the document makes. */
function tables(file, values, index) {
  const { bytes, parts, directory, width } = file, { landmarks } = index;
  const compare = ({ number, offset, end }, expected) => {
    const found = bytes.u8.subarray(offset, end), least = Math.min(found.length, expected.length);
    let same = 0;
    while (same < least && found[same] === expected[same]) same++;
    const isSame = same === found.length && same === expected.length;
    need(isSame, 'IDX-DIFFERS', offset + same, `part ${number} is not that of the document`);
  };
  for (const [number, { starts }] of [[16, values.strings], [17, values.shapes], [18, values.shared]]) {
    const part = parts.get(number), made = words(starts.filter((_, i) => i % part?.stride === 0), width);
    need(!part || part.length === made.length, 'PRT-LENGTH', part?.entry, `${made.length} bytes expected`);
    if (part) compare(part, made);
  }
  if (!parts.has(32)) return;
  index.makeEdges();
  const hasClasses = landmarks.some((each) => each.class), hasEdges = index.tables.get(41).count > 0;
  const says = { 33: hasClasses, 34: landmarks.some(({ parent }) => parent !== NONE), 40: hasEdges };
  for (const number of [32, 33, 34, 35, 36, 37, 40, 41, 42, 43, 44, 45]) {
    const part = parts.get(number), table = () => new Uint8Array(index.tables.get(number).view.buffer);
    if (part) compare(part, number === 37 ? digests(values, index) : table());
    else need(!says[number], 'IDX-DIFFERS', directory, `part ${number} is missing`);
  }
}

/** §8.8: part 37. Values that several landmarks hold are read again, within the budget of §9.2. */
function digests(values, index) {
  const { root, limits } = values.file, measure = new Measure(values), slots = [];
  const table = new Uint8Array(16 * index.count), encoder = new TextEncoder();
  let nodes = limits.streamNodes, bytes = limits.streamBytes;
  for (let slot = 0; slot < index.count; slot++) slots[index.ordinal(slot)] = slot;
  for (let i = 0; i < index.count; i++) { // in document order, so that full keys are made once
    const key = encoder.encode(index.key(i)), sha = sha256().update(words([key.length])).update(key);
    const size = measure.value(index.cursor(i));
    need((nodes -= size.nodes) >= 0, 'LIM-NODES', root, 'too many values in landmarks');
    need((bytes -= size.bytes) >= 0, 'LIM-BYTES', root, 'too much text in landmarks');
    const found = digest(values, index.cursor(i), sha).slice(0, 32);
    table.set(found.match(/../g).map((pair) => parseInt(pair, 16)), 16 * slots[i]);
  }
  return table;
}

/** §4.7 */
function digest(values, cursor, sha = sha256()) {
  canonical(values, cursor, undefined, (piece) => sha.update(piece));
  return sha.hex();
}
