// §5 Payload: signature, header, directory and trailer, as they are read when a file is opened (§10.1).
import { Cursor, ARRAY, BIN, INT, MAP, STR } from './cursor.js';
import { crc32 } from './checksums.js';
import { fail } from './errors.js';
import { Rule } from './rule.js';

const SIGNATURE = [0xc4, 0x08, 0x89, 0x43, 0x43, 0x0d, 0x0a, 0x1a, 0x0a, 0x00];
const DAMAGES = [
  ['09 43 43', 'the eighth bit was stripped'],
  ['89 43 43 0d 0d 0a', 'LF became CR LF'],
  ['89 43 43 0d 0a 1a 0d 0a', 'LF became CR LF'],
  ['89 43 43 0a 1a', 'CR LF became LF'],
  ['89 43 43 0a 0a', 'CR became LF'],
  ['89 43 43 0d 0d 1a', 'LF became CR'],
  ['89 43 43 0d 1a', 'CR LF and LF became CR'],
  ['89 43 43 0d 0a 1a 0a', 'the NUL was lost'],
  ['ef bf bd 43 43', 'bytes that are not UTF-8 were replaced'],
  ['c2 89 43 43', 'each byte was taken for a Latin-1 character'],
  ['e2 80 b0 43 43', 'each byte was taken for a Windows-1252 character'],
];
const CRITICAL = 1, FLAGS = 3, TRAILER = 28;
const REQUIRED = [1, 2, 3, 4];
/** §5.3: the rule of packages. */
const PACKAGE = ['[name]', '/modules/*', '/modules/*/members/*', '/modules/*/members/*/members/*'];
const KNOWN = new Set([...REQUIRED, 16, 17, 18, 32, 33, 34, 35, 36, 40, 41, 42, 43, 44, 45, 64]);

/**
 * @typedef {{ number: number, flags: number, stride: number, offset: number, length: number, end: number, entry: number }} Part
 *   `entry` is the offset of its directory entry
 */

/** §5.3: the greatest values. */
const MOST = { version: 65535, depth: 0xffffffff };

export class File {
  /** @param {import('./checksums.js').Bytes} bytes @param {import('./envelope.js').Envelope} envelope */
  constructor(bytes, envelope, limits) {
    this.bytes = bytes;
    this.envelope = envelope;
    this.limits = limits;
    this.payload = envelope.end;
    const headerStart = this.#signature();
    this.#trailer();
    this.#directory();
    const table = this.parts.get(64);
    if (table) {
      bytes.protect(table.offset, table.end);
      bytes.touch(0, headerStart);
    }
    this.#header(headerStart);
    for (const part of this.parts.values()) if (part.offset < this.headerEnd) fail('PRT-RANGE', part.entry, 'a part begins before the header ends');
  }

  /** A number of a table at `at`: u32, or u64 in a wide file. */
  wide(at) {
    this.bytes.touch(at, at + this.width);
    return this.width === 8 ? this.bytes.u64(at) : this.bytes.u32(at);
  }

  /** §5.1 and §5.2: the payload's array header and the signature. Returns where the header begins. */
  #signature() {
    const { bytes, payload } = this;
    const { u8 } = bytes;
    bytes.touch(payload, Math.min(payload + 40, bytes.size));
    if (payload >= bytes.size) fail('MSG-SHORT', payload, 'the file ends with its envelope');
    const first = u8[payload], start = payload + (first === 0xdc ? 3 : first === 0xdd ? 5 : 1);
    const isArray = (first >= 0x90 && first <= 0x9f) || first === 0xdc || first === 0xdd;
    if (SIGNATURE.some((byte, i) => u8[start + i] !== byte)) this.#damage(isArray, start);
    if (!isArray) fail('PAY-FORM', payload, 'the payload is not an array');
    if (bytes.size - payload < TRAILER) fail('TRL-MAGIC', bytes.size, 'the file is cut short');
    const array = new Cursor(bytes, payload, bytes.size);
    array.token();
    this.elements = array.value;
    if (this.elements < 7) fail('PAY-FORM', payload, `${this.elements} elements, at least 7 expected`);
    return start + SIGNATURE.length;
  }

  /** §5.2: names what happened to a file without its signature, which should stand at `start`. */
  #damage(isArray, start) {
    const { bytes, payload } = this, { u8 } = bytes, near = u8.subarray(payload, payload + 40);
    const hex = Array.from(near, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    for (const [pattern, damage] of DAMAGES) {
      const found = hex.indexOf(pattern);
      if (found < 0 || found >= 32 * 3) continue;
      const at = payload + found / 3, differs = SIGNATURE.slice(2).findIndex((byte, i) => u8[at + i] !== byte);
      if (differs >= 0) fail(at + differs < bytes.size ? 'ENV-EOL' : 'MSG-SHORT', at + differs, damage);
    }
    if (!isArray) return;
    const differs = SIGNATURE.findIndex((byte, i) => u8[start + i] !== byte);
    if (start + differs >= bytes.size) fail('MSG-SHORT', Math.min(start + 2, bytes.size), 'the file ends within the signature');
    fail('ENV-SIGNATURE', start + differs, 'another signature');
  }

  /** §5.10 and §7.3 */
  #trailer() {
    const { bytes } = this, { size } = bytes, at = (this.trailer = size - TRAILER);
    bytes.touch(at, size);
    const magic = (offset) => bytes.u8.subarray(offset, offset + 4).join() === '67,79,67,79';
    if (!magic(size - 8)) {
      let before = size - 9;
      while (before > size - 1024 && before > this.payload && !magic(before)) before--;
      fail('TRL-MAGIC', size - 8, magic(before) ? `${size - 8 - before} bytes follow the trailer` : 'the file is cut short');
    }
    if (bytes.u64(at) !== size) fail('TRL-LENGTH', at, `the file has ${size} bytes, its trailer says ${bytes.u64(at)}`);
    const sumFrom = bytes.u64(at + 8), flags = bytes.u8[at + 18];
    this.width = flags & 1 ? 8 : 4;
    this.entries = bytes.u16(at + 16);
    this.directory = at - this.entries * (this.width === 8 ? 20 : 12);
    if (sumFrom > at) fail('PRT-RANGE', at, 'the checksum begins behind the trailer');
    bytes.load(sumFrom, size);
    const found = crc32(bytes.u8, sumFrom, size - 4);
    if (found !== bytes.u32(size - 4)) fail('SUM-MISMATCH', sumFrom, `CRC-32 ${found.toString(16)}, trailer says ${bytes.u32(size - 4).toString(16)}`);
    if (flags > 1 || bytes.u8[at + 19] || this.directory < Math.max(sumFrom, this.payload)) fail('PRT-RANGE', at, 'unknown flags, or a directory that is not in the file');
    this.sumFrom = sumFrom;
  }

  /** §5.8 */
  #directory() {
    const { bytes, width, limits } = this;
    /** @type {Map<number, Part>} */
    this.parts = new Map();
    if (this.entries > limits.directory) fail('LIM-COUNT', this.trailer, `${this.entries} parts`);
    let last = -1;
    for (let entry = this.directory; entry < this.trailer; entry += width === 8 ? 20 : 12) {
      const number = bytes.u8[entry], flags = bytes.u8[entry + 1], power = bytes.u16(entry + 2), stride = Math.min(power, 63);
      const offset = width === 8 ? bytes.u64(entry + 4) : bytes.u32(entry + 4), length = width === 8 ? bytes.u64(entry + 12) : bytes.u32(entry + 8);
      const part = { number, flags, stride, offset, length, end: offset + length, entry };
      if (flags > FLAGS || (power && (number < 16 || number > 18))) fail('PRT-RANGE', entry, `part ${number} has flags ${flags} and the number ${power}`);
      if (number <= last) fail('PRT-TWICE', entry, `part ${number} after part ${last}`);
      last = number;
      if (!KNOWN.has(number) && flags & CRITICAL) fail('PRT-CRITICAL', entry, `part ${number} is unknown and critical`);
      if (offset < this.payload || part.end > this.trailer) fail('PRT-RANGE', entry, `part ${number} is not in the file`);
      for (const other of this.parts.values()) if (offset < other.end && other.offset < part.end) fail('PRT-RANGE', entry, `parts ${number} and ${other.number} overlap`);
      if (KNOWN.has(number) && number > 4 && offset % 8) fail('PRT-PADDING', entry, `table ${number} at an offset that is not divisible by 8`);
      this.parts.set(number, part);
    }
    for (const number of REQUIRED) if (!this.parts.has(number)) fail('PRT-MISSING', this.directory, `part ${number} is missing`);
    for (const part of this.parts.values()) this.#length(part);
    const table = this.parts.get(64);
    if (this.sumFrom !== (table ? table.end : 0)) fail('PRT-RANGE', this.trailer, 'the checksum does not begin where the block table ends');
    if (table && table.end + Math.ceil(table.length / 4096) * 4 > this.directory) fail('PRT-RANGE', table.entry, 'no room for the root table');
  }

  /** What lengths of tables demand of each other; those of offset tables are compared when they are used. */
  #length(part) {
    const { width } = this, length = (number) => this.parts.get(number)?.length ?? NaN; // NaN: nothing is demanded
    const n = length(32) / width;
    const whole = (entry) => Math.ceil(part.length / entry) * entry;
    const expected = {
      16: whole(width), 17: whole(width), 18: whole(width),
      32: whole(width), 33: n, 34: n * 8, 35: (2 ** bucketBits(n) + 1) * 4, 36: n * 2 * width,
      40: (n + 1) * 4, 41: whole(4), 42: length(41) / 4, 43: (n + 1) * 4, 44: whole(4), 45: length(44) / 4,
      64: Math.ceil(part.offset / 4096) * 4,
    }[part.number];
    if (expected >= 0 && part.length !== expected) fail('PRT-LENGTH', part.entry, `part ${part.number} has ${part.length} bytes, ${expected} expected`);
  }

  /** §5.3; each field is kept with the offset of its value. */
  #header(start) {
    const { bytes, envelope } = this, c = new Cursor(bytes, start, this.trailer);
    if (c.token() !== MAP) fail('PAY-FORM', start, 'the header is not a map');
    const fields = (this.fields = readMap(c, true));
    this.headerEnd = c.pos;
    bytes.touch(0, c.pos);
    const take = (map, name, kind, required = true, around = start) => {
      const found = map.get(name);
      if (!found && required) fail('HDR-FIELD', around, `${name} is missing`);
      const odd = found && (found.kind !== kind || (kind === INT && (found.value < 0 || found.value > (MOST[name] ?? Infinity))) || (kind === BIN && found.size !== 32));
      if (odd) fail('HDR-FIELD', found.at, `${name} is of another kind or length`);
      return found;
    };
    const texts = (name) => take(fields, name, ARRAY, false)?.items.map((item) => {
      if (item.kind !== STR) fail('HDR-FIELD', item.at, `an item of ${name} is not a string`);
      return item;
    }) ?? [];

    for (const [name, kind, expected] of [['document-type', STR, envelope.documentType], ['version', INT, envelope.version]]) {
      const found = take(fields, name, kind);
      if (String(found.value).toLowerCase() !== String(expected).toLowerCase()) fail('HDR-MISMATCH', found.at, `${name} is ${found.value}, the envelope says ${expected}`);
    }
    const profile = take(fields, 'profile', STR);
    if (!['full', 'plain', 'transport'].includes(profile.value)) fail('HDR-FIELD', profile.at, `profile ${profile.value}`);
    for (const feature of texts('requires')) fail('HDR-REQUIRES', feature.at, `feature ${feature.value} is not known`);
    texts('requires-write');
    texts('optional');
    take(fields, 'producer', STR);
    for (const claim of ['values', 'depth', 'landmarks']) take(fields, claim, INT);
    const source = take(fields, 'source', MAP, false);
    for (const [name, kind] of [['format', STR], ['bytes', INT], ['sha-256', BIN]]) if (source) take(source.entries, name, kind, true, source.at);
    take(fields, 'digest', BIN);
    take(fields, 'dialect', STR, false);
    const join = take(fields, 'join', STR, false);
    this.header = Object.fromEntries([...fields].filter(([, f]) => f.kind === STR || f.kind === INT).map(([name, f]) => [name, f.value]));
    const patterns = texts('patterns'), edges = texts('edges');
    const isImplied = envelope.documentType.toLowerCase() === 'cocopack' && !['patterns', 'join', 'edges'].some((name) => fields.has(name));
    this.rule = isImplied ? new Rule(PACKAGE.map((value) => ({ value, at: start })), ':', []) : new Rule(patterns, join?.value, edges);
  }
}

/** §8.5: the smallest b for which 2^b × 4 is at least `landmarks`. */
export function bucketBits(landmarks) {
  let bits = 0;
  while (2 ** bits * 4 < landmarks) bits++; // NaN ends it too
  return bits;
}

/** The entries of a msgpack map in the header, with the offsets of values; of what it does not know it keeps the kind alone. */
function readMap(c, isHeader) {
  const entries = new Map();
  for (let left = c.value; left > 0; left--) {
    if (c.token() !== STR) fail('MSG-TYPE', c.start, 'a key of the header is not a string');
    const key = c.text();
    if (entries.has(key)) fail('HDR-FIELD', c.pos, `${key} is given twice`);
    entries.set(key, readField(c, isHeader && key === 'source'));
  }
  return entries;
}

function readField(c, deep) {
  const at = c.pos, kind = c.token(), field = { kind, at, value: c.value, body: c.body, size: c.size };
  if (kind === STR) field.value = c.text();
  if (kind === BIN) c.bytes.touch(c.body, c.pos);
  if (kind === MAP && deep) field.entries = readMap(c, false);
  else if (kind === ARRAY || kind === MAP) {
    field.items = [];
    for (let left = kind === MAP ? c.value * 2 : c.value; left > 0; left--) {
      const start = c.pos, item = c.token();
      if (item === STR) field.items.push({ kind: item, at: start, value: c.text() });
      else {
        field.items.push({ kind: item, at: start });
        c.pos = start;
        c.skip();
      }
    }
  }
  return field;
}
