// §3 msgpack, as it is used here.
import { fail } from './errors.js';

export const NIL = 0, BOOL = 1, INT = 2, FLOAT = 3, STR = 4, BIN = 5, EXT = 6, ARRAY = 7, MAP = 8;

// §3.2: the smallest and the largest number for which a form is the shortest, by first byte.
const LEAST = {
  0xc5: 256, 0xc6: 65536, 0xcc: 128, 0xcd: 256, 0xce: 65536, 0xcf: 2 ** 32, 0xd9: 32, 0xda: 256, 0xdb: 65536,
  0xdc: 16, 0xdd: 65536, 0xde: 16, 0xdf: 65536,
};
const MOST = { 0xd0: -33, 0xd1: -129, 0xd2: -32769, 0xd3: -2147483649 };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads tokens of [pos, end). After one: `start` and `value`; of str, bin and ext also `body` and `size`. */
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
    this.value = null;
  }

  /** Reads a header, and the body of all but arrays and maps, whose `value` is the count. Returns the kind. */
  token() {
    const at = (this.start = this.pos);
    if (at >= this.end) fail('MSG-SHORT', at, 'a value is missing');
    this.bytes.touch(at, at + 1);
    const b = this.bytes.u8[at];
    this.pos = at + 1;
    if (b < 0x80) return (this.value = b), INT;
    if (b < 0x90) return this.#counted(MAP, b & 15, 2);
    if (b < 0xa0) return this.#counted(ARRAY, b & 15, 1);
    if (b < 0xc0) return this.#sized(STR, b & 31);
    if (b >= 0xe0) return (this.value = b - 256), INT;
    switch (b) {
      case 0xc0: return (this.value = null), NIL;
      case 0xc2: case 0xc3: return (this.value = b === 0xc3), BOOL;
      case 0xc4: case 0xc5: case 0xc6: return this.#sized(BIN, this.#number(b, 1 << (b - 0xc4)));
      case 0xc7: case 0xc8: case 0xc9: return this.#extension(this.#number(b, 1 << (b - 0xc7)));
      case 0xcb: return (this.value = this.#double()), FLOAT;
      case 0xcc: case 0xcd: case 0xce: case 0xcf: return (this.value = this.#number(b, 1 << (b - 0xcc))), INT;
      case 0xd0: case 0xd1: case 0xd2: case 0xd3:
        return (this.value = this.#number(b, 1 << (b - 0xd0), true)), INT;
      case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return this.#extension(1 << (b - 0xd4));
      case 0xd9: case 0xda: case 0xdb: return this.#sized(STR, this.#number(b, 1 << (b - 0xd9)));
      case 0xdc: case 0xdd: return this.#counted(ARRAY, this.#number(b, 2 << (b - 0xdc)), 1);
      case 0xde: case 0xdf: return this.#counted(MAP, this.#number(b, 2 << (b - 0xde)), 2);
      case 0xc1: return fail('MSG-RESERVED', at, 'byte C1');
      default: return fail('MSG-TYPE', at, 'float 32'); // CA
    }
  }

  /** Steps over one value; what it steps over without looking is not compared with checksums. */
  skip() {
    for (let pending = 1; pending > 0; pending--) {
      const kind = this.token();
      if (kind === ARRAY) pending += this.value;
      else if (kind === MAP) pending += 2 * this.value;
    }
  }

  /** The text of the str that was read last. */
  text() {
    return decodeText(this.bytes, this.body, this.size);
  }

  #take(n) {
    const at = this.pos;
    if (n > this.end - at) fail('MSG-SHORT', at, `${n} bytes wanted, ${this.end - at} left`);
    this.pos = at + n;
  }

  #number(first, width, signed = false) {
    const at = this.pos;
    this.#take(width);
    this.bytes.touch(at, at + width);
    const value = integerAt(this.bytes.view, at, width, signed);
    if (value < LEAST[first] || value > MOST[first]) this.bytes.noteLonger(this.start);
    return value;
  }

  #double() {
    const at = this.pos;
    this.#take(8);
    this.bytes.touch(at, at + 8);
    return this.bytes.view.getFloat64(at);
  }

  #counted(kind, count, least) {
    const left = this.end - this.pos;
    if (count * least > left) fail('MSG-COUNT', this.start, `${count} items, ${left} bytes left`);
    return (this.value = count), kind;
  }

  #sized(kind, size) {
    this.body = this.pos;
    this.size = size;
    this.#take(size);
    return kind;
  }

  #extension(size) {
    this.value = this.#number(0xd4, 1, true);
    return this.#sized(EXT, size);
  }
}

/** A big-endian integer: a number where that is exact, else a BigInt. */
export function integerAt(view, at, width, signed) {
  switch (width) {
    case 1: return signed ? view.getInt8(at) : view.getUint8(at);
    case 2: return signed ? view.getInt16(at) : view.getUint16(at);
    case 4: return signed ? view.getInt32(at) : view.getUint32(at);
    default: {
      const value = signed ? view.getBigInt64(at) : view.getBigUint64(at), number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    }
  }
}

/** UTF-8 text, §3.3. */
export function decodeText(bytes, start, size) {
  bytes.touch(start, start + size);
  const { u8 } = bytes, end = start + size;
  if (size <= 32) { // TextDecoder costs more than this loop for short ASCII text
    let text = '', i = start;
    for (; i < end && u8[i] < 0x80; i++) text += String.fromCharCode(u8[i]);
    if (i === end) return text;
  }
  const body = u8.subarray(start, end);
  try {
    return UTF8.decode(body);
  } catch {
    return fail('STR-UTF8', start + validPrefix(body), 'not UTF-8');
  }
}

/** The length of the longest beginning that is valid text. */
function validPrefix(body) {
  for (let i = 0; ; ) {
    const lead = body[i], n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      UTF8.decode(body.subarray(i, i + n));
    } catch {
      return i;
    }
    i += n;
  }
}
