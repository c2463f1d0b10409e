// §5 Payload: signature, header, directory and trailer, which are read when a file is opened
// (§10.1).
import { ARRAY, BIN, Cursor, INT, MAP, STR } from './cursor.js';
import { crc32 } from './hashes.js';
import { characters, failUnsigned, failNoTrailer } from './diagnosis.js';
import { fail, FormatError, need } from './errors.js';

const SIGNATURE = '\xc4\x08\x89CC\r\n\x1a\n\0'; // §5.2
const MAGIC = 0x4f434f43, TRAILER = 28, WIDE = 1, NEWER_FRAME = 2; // "COCO", and flags, §5.10
const CRITICAL = 1, ELEMENT = 4, NEWER = 8, FLAGS = 15; // of a directory entry, §5.8
export const REQUIRED = [1, 2, 3, 4], EDGE_TABLES = [40, 41, 42, 43, 44, 45];
const NEEDS = { 33: [32], 34: [32], 35: [32, 36], 36: [32, 35], 37: [36] }; // parts, and what they need
for (const number of EDGE_TABLES) NEEDS[number] = [32, ...EDGE_TABLES];
export const ENTRIES = { // bytes of an entry of each table, narrow and wide
  16: [4, 8], 17: [4, 8], 18: [4, 8], 32: [4, 8], 33: [1, 1], 34: [8, 8], 35: [4, 4], 36: [8, 16],
  37: [16, 16], 40: [4, 4], 41: [4, 4], 42: [1, 1], 43: [4, 4], 44: [4, 4], 45: [1, 1], 64: [4, 4],
};
/** §5.3: kinds of fields; `most` is the greatest number, `size` that of bytes. */
const TEXT = { kind: STR }, TEXTS = { kind: ARRAY, items: TEXT }, COUNT = { kind: INT, most: Infinity };
const DIGEST = { kind: BIN, size: 32 };
const SOURCE = { format: TEXT, bytes: COUNT, 'sha-256': DIGEST };
const perhaps = (form) => ({ ...form, isOptional: true });
const HEADER = {
  'document-type': TEXT, version: { kind: INT, most: 65535 }, profile: TEXT, requires: perhaps(TEXTS),
  'requires-write': perhaps(TEXTS), optional: perhaps(TEXTS), producer: TEXT, values: COUNT,
  depth: { kind: INT, most: 0xffffffff }, landmarks: COUNT, digest: DIGEST, dialect: perhaps(TEXT),
  source: perhaps({ kind: MAP, fields: SOURCE }), patterns: perhaps(TEXTS), join: perhaps(TEXT),
  edges: perhaps(TEXTS),
};
const PROFILES = ['full', 'plain', 'transport']; // §5.11

/**
 * @typedef {{ number: number, isElement: boolean, stride: number, offset: number, length: number,
 *   end: number, entry: number }} Part  `entry` is the offset of its directory entry
 */

export class File {
  /**
   * @param {import('./checksums.js').Bytes} bytes
   * @param {import('./envelope.js').Envelope} envelope
   */
  constructor(bytes, envelope, limits) {
    Object.assign(this, { bytes, envelope, limits, payload: envelope.end });
    const headerStart = this.#signature(); // in the order of §10.2
    this.#trailer();
    this.#directory();
    bytes.touch(0, headerStart);
    this.#header(headerStart);
    const inHeader = [...this.parts.values()].find(({ offset }) => offset < this.headerEnd);
    need(!inHeader, 'PRT-RANGE', inHeader?.entry, 'a part begins in the header');
  }

  /** A number of a table at `at`: u32, or u64 in a wide file. */
  wide(at) {
    this.bytes.touch(at, at + this.width);
    return this.width === 8 ? this.bytes.u64(at) : this.bytes.u32(at);
  }

  /** Bytes of an entry of a table. */
  entrySize(number) { return ENTRIES[number][this.width === 8 ? 1 : 0]; }

  /**
   * §5.1 and §5.2: the payload's array header and the signature. Returns where the header begins.
   */
  #signature() {
    const { bytes, payload } = this, end = Math.min(payload + 40, bytes.size);
    bytes.touch(payload, end);
    const text = characters(bytes.u8, payload, end), isArray = /^[\x90-\x9f\xdc\xdd]/.test(text);
    const size = { '\xdc': 3, '\xdd': 5 }[text[0]] ?? 1;
    if (!isArray || !text.startsWith(SIGNATURE, size)) failUnsigned(text, payload, size, SIGNATURE, isArray);
    const array = new Cursor(bytes, payload, bytes.size);
    array.token();
    this.elements = array.value;
    need(this.elements >= 7, 'PAY-FORM', payload, `${this.elements} elements, at least 7 expected`);
    return payload + size + SIGNATURE.length;
  }

  /** §5.10 and §7.3 */
  #trailer() {
    const { bytes } = this, { size } = bytes, at = (this.trailer = size - TRAILER);
    need(at >= this.payload, 'TRL-MAGIC', size, 'the file is cut short');
    bytes.touch(at, size);
    if (bytes.u32(size - 8) !== MAGIC) failNoTrailer(bytes, this.payload);
    need(bytes.u64(at) === size, 'TRL-LENGTH', at, `${bytes.u64(at)} bytes, found ${size}`);
    const sumFrom = (this.sumFrom = bytes.u64(at + 8)), flags = bytes.u8[at + 18];
    need(sumFrom <= at, 'TRL-FIELD', at, 'the checksum begins after the start of the trailer');
    bytes.load(sumFrom, size);
    const isSame = crc32(bytes.u8, sumFrom, size - 4) === bytes.u32(size - 4);
    need(isSame, 'SUM-MISMATCH', sumFrom, "the trailer's checksum");
    need(!(flags & NEWER_FRAME), 'TRL-NEWER', at, 'the frame of this file needs a newer reader');
    const power = bytes.u8[at + 19], isPower = !power || (power >= 12 && power <= 20);
    Object.assign(this, { block: 2 ** power, width: flags & WIDE ? 8 : 4, count: bytes.u16(at + 16) });
    bytes.touch((this.directory = at - this.count * (4 + 2 * this.width)), at);
    const fits = flags <= WIDE && isPower && this.directory >= this.payload;
    need(fits, 'TRL-FIELD', at, 'unknown flags or block size, or a directory that is not in the file');
  }

  /** §5.8 */
  #directory() {
    const { bytes, width, directory, payload, trailer } = this;
    /** @type {Map<number, Part>} */
    this.parts = new Map();
    need(this.count <= this.limits.directory, 'LIM-COUNT', trailer, `${this.count} parts`);
    let last = -1, step = 4 + 2 * width;
    for (let at = directory; at < trailer; at += step) need(!(bytes.u8[at + 1] & NEWER), 'PRT-NEWER', at, '');
    for (let entry = directory; entry < trailer; entry += step) {
      const number = bytes.u8[entry], flags = bytes.u8[entry + 1], power = bytes.u16(entry + 2);
      const offset = this.wide(entry + 4), length = this.wide(entry + 4 + width), end = offset + length;
      const isTable = number in ENTRIES, isKnown = isTable || REQUIRED.includes(number);
      const isElement = (flags & ELEMENT) > 0, isSort = !isKnown || isElement !== isTable;
      const isSet = flags <= FLAGS && power <= (number >= 16 && number <= 18 ? 31 : 0);
      const isInside = offset >= payload && end <= directory;
      const isApart = [...this.parts.values()].every((other) => offset >= other.end || other.offset >= end);
      const code = !isSet || !isSort || (isElement && !length) || !isInside ? 'PRT-RANGE'
        : number <= last ? 'PRT-TWICE'
        : !isKnown && flags & CRITICAL ? 'PRT-CRITICAL'
        : !isElement && offset % 8 ? 'PRT-PADDING'
        : !isApart ? 'PRT-RANGE' : '';
      need(!code, code, entry, `part ${number} with flags ${flags}, from ${offset} to ${end}`);
      this.parts.set(number, { number, isElement, stride: 2 ** power, offset, length, end, entry });
      last = number;
    }
    const needed = [...REQUIRED, ...[...this.parts.keys()].flatMap((number) => NEEDS[number] ?? [])];
    const missing = needed.filter((number) => !this.parts.has(number));
    need(missing.length === 0, 'PRT-MISSING', directory, `parts ${missing} are missing`);
    this.root = this.parts.get(4).offset;
    const table = this.parts.get(64), sumFrom = table ? table.end : 0;
    need(!table === (this.block < 2), 'TRL-FIELD', trailer, 'a block size or table without the other');
    for (const part of this.parts.values()) this.#length(part);
    need(this.sumFrom === sumFrom, 'TRL-FIELD', trailer, 'the checksum begins at a wrong offset');
    if (!table) return;
    this.rootEnd = table.end + Math.ceil(table.length / this.block) * 4;
    need(this.rootEnd <= directory, 'PRT-RANGE', table.entry, 'no room for the root table');
    bytes.protect(table.offset, table.end, this.block);
  }

  /**
   * Checks the numbers of entries against each other; those of offset tables are compared when they
   * are used.
   */
  #length({ number, offset, length, entry }) {
    if (!(number in ENTRIES)) return;
    const count = (table) => this.parts.get(table)?.length / this.entrySize(table), n = count(32);
    const buckets = 2 ** bucketBits(n) + 1, blocks = Math.ceil(offset / this.block), found = count(number);
    const starts = found === 2 * n ? found : n + 1; // with shared rows, or without
    const counts = { 33: n, 34: n, 35: buckets, 36: n, 37: n, 40: starts, 42: count(41), 43: starts };
    const expected = { ...counts, 45: count(44), 64: blocks }[number] ?? Math.ceil(found);
    need(found === expected, 'PRT-LENGTH', entry, `part ${number} should have ${expected} entries`);
    const { landmarks, edges } = this.limits, most = { 32: landmarks, 41: edges, 44: edges }[number];
    need(found <= (most ?? Infinity), 'LIM-COUNT', entry, `${found} entries in part ${number}`);
  }

  /** §5.3 */
  #header(start) {
    const { bytes, envelope, limits } = this, end = Math.min(start + limits.header, this.directory);
    const cursor = new Cursor(bytes, start, end);
    cursor.comparesAll = true;
    try {
      need(cursor.token() === MAP, 'PAY-FORM', start, 'the header is not a map');
      searchRequires(cursor);
      cursor.pos = start;
      this.fields = readField(cursor, '', { kind: MAP, fields: HEADER }, limits).value;
    } catch (error) {
      const isLong = end < this.directory && ['MSG-SHORT', 'MSG-COUNT'].includes(error.code);
      throw isLong ? new FormatError('LIM-HEADER', end, 'the header is too long') : error;
    }
    const { fields } = this, value = (name) => fields.get(name)?.value, at = (name) => fields.get(name).at;
    this.headerEnd = cursor.pos;
    const isSame = value('document-type').toLowerCase() === envelope.documentType.toLowerCase();
    need(isSame, 'HDR-MISMATCH', at('document-type'), `the envelope has ${envelope.documentType}`);
    need(value('version') === 1, 'HDR-MISMATCH', at('version'), 'the envelope has 1');
  }
}

/** §8.5: the smallest b for which 2^b × 4 is at least `landmarks`. */
export function bucketBits(landmarks) {
  return 32 - Math.clz32(Math.ceil(Math.max(landmarks, 1) / 4) - 1);
}

/** §5.3: what is newer is found before all that a newer file may have otherwise. No feature is known. */
function searchRequires(c) {
  for (let left = c.value; left > 0; left--) {
    const { pos } = c, isFound = c.token() === STR && characters(c.bytes.u8, c.body, c.pos) === 'requires';
    c.pos = pos;
    c.skip(isFound ? 1 : 2);
    const isList = isFound && c.token() === ARRAY, at = isList ? c.pos : c.start;
    if (isFound) return need(isList && !c.value, 'HDR-REQUIRES', at, 'an unknown feature');
  }
}

/**
 * §5.3: the known fields of the current map, as `{ kind, value, at }`. Lists also consist of these.
 */
function readMap(cursor, known, limits) {
  const start = cursor.start, fields = new Map(), names = new Set();
  for (let left = cursor.value; left > 0; left--) {
    need(cursor.token() === STR, 'MSG-TYPE', cursor.start, 'a key of the header is not a string');
    const name = cursor.text(limits.key);
    need(names.size < names.add(name).size, 'HDR-FIELD', cursor.pos, `${name} is given twice`);
    if (!Object.hasOwn(known, name)) cursor.skip();
    else {
      const field = readField(cursor, name, known[name], limits), { at, value } = field;
      need(name !== 'profile' || PROFILES.includes(value), 'HDR-FIELD', at, `profile ${value}`);
      fields.set(name, field);
    }
  }
  for (const [name, { isOptional }] of Object.entries(known))
    need(fields.has(name) || isOptional, 'HDR-FIELD', start, `${name} is missing`);
  return fields;
}

function readField(cursor, name, form, limits) {
  const at = cursor.pos, kind = cursor.token(), { value, body, size } = cursor;
  const fits = kind === INT ? value >= 0 && value <= form.most : kind !== BIN || size === form.size;
  need(kind === form.kind && fits, 'HDR-FIELD', at, `${name} is of another kind or length`);
  if (kind === STR) return { kind, at, value: cursor.text(limits.string) };
  if (kind === MAP) return { kind, at, value: readMap(cursor, form.fields, limits) };
  const items = () => Array.from({ length: value }, () => readField(cursor, name, form.items, limits));
  if (kind === ARRAY) return { kind, at, value: items() };
  return { kind, at, value: kind === BIN ? cursor.bytes.u8.subarray(body, cursor.pos) : value };
}
