// §3 msgpack, as it is used here.
import { validLength } from './diagnosis.js';
import { fail } from './errors.js';

export const NIL = 0, BOOL = 1, INT = 2, FLOAT = 3, STR = 4, BIN = 5, EXT = 6, ARRAY = 7, MAP = 8;
const SINGLE = 9, RESERVED = 10;

// §3.1: the meaning of each first byte: a kind, and its value or how many bytes of number follow.
const fixed = (kind, ...values) => values.map((value) => ({ kind, value, width: 0, signed: false }));
const sized = (kind, ...widths) => widths.map((width) => ({ kind, value: null, width, signed: false }));
const upTo = (count) => [...Array(count).keys()];
const FORMS = [
  ...fixed(INT, ...upTo(128)), ...fixed(MAP, ...upTo(16)), ...fixed(ARRAY, ...upTo(16)),
  ...fixed(STR, ...upTo(32)), ...fixed(NIL, null), ...fixed(RESERVED, 0), ...fixed(BOOL, false, true),
  ...sized(BIN, 1, 2, 4), ...sized(EXT, 1, 2, 4), ...fixed(SINGLE, 0), ...sized(FLOAT, 8),
  ...sized(INT, 1, 2, 4, 8), ...sized(INT, 1, 2, 4, 8).map((form) => ({ ...form, signed: true })),
  ...fixed(EXT, 1, 2, 4, 8, 16), ...sized(STR, 1, 2, 4), ...sized(ARRAY, 2, 4), ...sized(MAP, 2, 4),
  ...fixed(INT, ...upTo(32).map((low) => low - 32)),
];

// §3.2: the smallest and the largest number for which a form is the shortest, by first byte.
const LEAST = {
  0xc5: 256, 0xc6: 65536, 0xc8: 256, 0xc9: 65536, 0xcc: 128, 0xcd: 256, 0xce: 65536, 0xcf: 2 ** 32, 0xd9: 32,
  0xda: 256, 0xdb: 65536, 0xdc: 16, 0xdd: 65536, 0xde: 16, 0xdf: 65536,
};
const MOST = { 0xd0: -33, 0xd1: -129, 0xd2: -32769, 0xd3: -2147483649 };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads tokens of [pos, end). After one: `start` and `value`; for str, bin and ext also `body` and
 * `size`.
 */
export class Cursor {
  /**
   * @param {import('./checksums.js').Bytes} bytes
   * @param {number} bound §4.4: the ids of shared values that may be used here are lower
   */
  constructor(bytes, pos, end, bound = 0) {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    this.bound = bound;
    this.start = this.body = this.size = 0;
    this.comparesAll = false; // with checksums, skipped values, too: the header, §10.2
    this.value = null;
  }

  /**
   * Reads a header, and the body of all but arrays and maps (`value` is their count). Returns the
   * kind.
   */
  token() {
    const at = (this.start = this.pos), { bytes } = this;
    if (at >= this.end) fail('MSG-SHORT', at, 'a value is missing');
    bytes.touch(at, at + 1);
    const first = bytes.u8[at], { kind, value, width, signed } = FORMS[first];
    if (kind > MAP) fail(kind === SINGLE ? 'MSG-TYPE' : 'MSG-RESERVED', at, `byte ${first.toString(16)}`);
    this.pos = at + 1;
    this.value = width ? this.#number(first, width, signed) : value;
    if (kind < STR) return kind;
    if (kind < ARRAY) {
      this.size = this.value;
      if (kind === EXT) this.value = this.#number(0, 1, true); // the type
      this.body = this.#take(this.size);
      if (this.comparesAll) bytes.touch(at, this.pos);
    } else if (this.value * (kind - ARRAY + 1) > this.end - this.pos) { // n items need n bytes, n entries 2n
      fail('MSG-COUNT', at, `${this.value} items in ${this.end - this.pos} bytes`);
    }
    return kind;
  }

  /** Skips values. Bytes that it skips unread are not compared with checksums. */
  skip(pending = 1) {
    for (; pending > 0; pending--) {
      const kind = this.token();
      if (kind >= ARRAY) pending += this.value * (kind - ARRAY + 1);
    }
  }

  /** §3.3: the text of the last str, of at most `limit` bytes. */
  text(limit) {
    const { body, size, pos } = this, { u8 } = this.bytes;
    if (size > limit) fail('LIM-STRING', this.start, `${size} bytes, at most ${limit}`);
    this.bytes.touch(body, pos);
    if (size <= 32) { // TextDecoder costs more than this loop for short ASCII text
      let text = '', i = body;
      for (; i < pos && u8[i] < 0x80; i++) text += String.fromCharCode(u8[i]);
      if (i === pos) return text;
    }
    try {
      return UTF8.decode(u8.subarray(body, pos));
    } catch {
      return fail('STR-UTF8', body + validLength(u8.subarray(body, pos)), 'not UTF-8');
    }
  }

  /** Skips bytes that must exist; returns their offset. */
  #take(size) {
    const at = this.pos;
    if (size > this.end - at) fail('MSG-SHORT', at, `${size} bytes wanted, ${this.end - at} left`);
    this.pos = at + size;
    return at;
  }

  #number(first, width, signed) {
    const at = this.#take(width), { bytes } = this;
    bytes.touch(at, at + width);
    if (first === 0xcb) return bytes.view.getFloat64(at);
    const value = integerAt(bytes.view, at, width, signed);
    const isLess = value < LEAST[first] || (first === 0xc7 && [1, 2, 4, 8, 16].includes(value));
    if (isLess || value > MOST[first]) bytes.longer = Math.min(bytes.longer, this.start);
    return value;
  }
}

/** A big-endian integer: a number if that is exact, else a BigInt. */
export function integerAt(view, at, width, signed) {
  if (width === 1) return signed ? view.getInt8(at) : view.getUint8(at);
  if (width === 2) return signed ? view.getInt16(at) : view.getUint16(at);
  if (width === 4) return signed ? view.getInt32(at) : view.getUint32(at);
  const value = signed ? view.getBigInt64(at) : view.getBigUint64(at), number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
