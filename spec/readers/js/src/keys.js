// §8.1 and §8.5 Keys of landmarks. They are made of pieces, of which a landmark adds one to those of
// its parent, and they can be longer than the file together. So they are compared piece by piece.
import { crc32 } from './hashes.js';

export const NONE = 0xffffffff; // is greater than any ordinal
const LESS = -1, GREATER = -2, ENCODER = new TextEncoder();

/** The CRC-32 of text that follows text with the CRC-32 `before`. */
export const hashOf = (text, before = 0) => crc32(ENCODER.encode(text), 0, undefined, before);

export class Keys {
  /**
   * @param {(i: number) => number} parent the landmark whose pieces come before, or NONE
   * @param {(i: number) => string} piece
   * @param {(i: number) => string} [tail] follows in the key of this landmark alone
   * @param {(i: number, levels: number) => void} [check] refuses too many landmarks around one
   */
  constructor(parent, piece, tail = () => '', check = () => {}) {
    Object.assign(this, { parent, piece, tail, check });
    this.texts = new Map(); // some of the last whole keys
  }

  /** The key of a landmark without its tail. In a list, the keys around it are not made again. */
  text(i) {
    if (this.texts.size > 1024) this.texts.clear();
    return this.fold(i, this.texts.set(NONE, ''), (text, at) => text + this.piece(at));
  }

  /** Goes from the outermost landmark around `i` to it, or on from one with a known result. */
  fold(i, known, step) {
    const missing = [];
    let at = i;
    for (; !known.has(at); at = this.parent(at)) this.check(at, missing.push(at));
    let result = known.get(at);
    while (missing.length) known.set((at = missing.pop()), (result = step(result, at)));
    return result;
  }

  /** The bytewise order of two keys, which are compared from the common ancestor on. */
  compare(one, two) {
    const ones = [this.tail(one)], twos = [this.tail(two)];
    while (one !== two) {
      if (two === NONE || (one !== NONE && one > two)) {
        ones.push(this.piece(one));
        one = this.parent(one);
      } else {
        twos.push(this.piece(two));
        two = this.parent(two);
      }
    }
    for (let a = '', b = '', i = 0, j = 0; ; ) {
      for (; i === a.length && ones.length; i = 0) a = ones.pop();
      for (; j === b.length && twos.length; j = 0) b = twos.pop();
      if (i === a.length || j === b.length) return (i < a.length) - (j < b.length);
      if (i + j === 0 && a === b) i = j = a.length;
      else if (a[i] !== b[j]) return rank(a, i) - rank(b, j);
      else i++, j++;
    }
  }

  /** A function that says how the key of a landmark compares with this text. */
  against(text) {
    const ends = new Map([[NONE, 0]]); // of keys that the text begins with; else LESS or GREATER
    const match = (piece, at) => {
      if (text.startsWith(piece, at)) return at + piece.length;
      let i = 0;
      while (at + i < text.length && piece[i] === text[at + i]) i++;
      return at + i < text.length && rank(piece, i) < rank(text, at + i) ? LESS : GREATER;
    };
    return (i) => {
      let end = this.fold(i, ends, (before, at) => (before < 0 ? before : match(this.piece(at), before)));
      if (end >= 0) end = match(this.tail(i), end);
      return end === GREATER ? 1 : end === text.length ? 0 : -1;
    };
  }
}

/** A code unit, in the order of the bytes of UTF-8: the halves of pairs are the greatest. */
function rank(text, at) {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** The first number from `low` on, below `high`, that is not before the wanted one. */
export function search(low, high, isBefore) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Slots from `first` to `last`, sorted by hash and key, whose key `compare` finds equal. */
export function* equal(first, last, hash, hashAt, compare) {
  const isBefore = (slot) => hashAt(slot) < hash || (hashAt(slot) === hash && compare(slot) < 0);
  for (let slot = search(first, last, isBefore); slot < last; slot++) {
    if (hashAt(slot) !== hash || compare(slot) !== 0) return;
    yield slot;
  }
}

/** §8.1: full keys without their instance keys, of landmarks `0` to `count` with these full keys. */
export class Addresses {
  constructor(full, count) {
    const known = new Map(), hashes = [], sums = (this.sums = []);
    const partsOf = (i) => { // the piece of a landmark, and what is open behind it
      if (known.size > 1024) known.clear();
      const step = ([, open], at) => withoutInstances(open + full.piece(at));
      return full.fold(i, known.set(NONE, ['', '']), step);
    };
    const tailOf = (i) => {
      let tail = '';
      let [text, open] = partsOf(i);
      for (; open; tail += `[${text}`) [text, open] = withoutInstances(open.slice(1));
      return tail;
    };
    for (let i = 0; i < count; i++) {
      hashes.push(hashOf(partsOf(i)[0], hashes[full.parent(i)]));
      sums.push(hashOf(tailOf(i), hashes[i]));
    }
    this.keys = new Keys(full.parent, (i) => partsOf(i)[0], tailOf);
    const order = (a, b) => sums[a] - sums[b] || this.keys.compare(a, b) || a - b;
    this.sorted = [...sums.keys()].sort(order);
  }

  /** @returns {number[]} ordinals */
  find(text) {
    const { sorted, sums } = this, against = this.keys.against(text), hash = hashOf(text);
    const compare = (slot) => against(sorted[slot]), hashAt = (slot) => sums[sorted[slot]];
    const found = equal(0, sorted.length, hash, hashAt, compare);
    return [...found].map((slot) => sorted[slot]);
  }
}

/** A text without its instance keys, up to one that is open at its end, and the rest. */
function withoutInstances(text) {
  let out = '', from = 0;
  for (let at = 0; (at = text.indexOf('[', at)) >= 0; ) {
    const end = endOfInstance(text, at);
    if (end > text.length) return [out + text.slice(from, at), text.slice(at)];
    if (end > at) {
      out += text.slice(from, at);
      from = end;
    }
    at = Math.max(end, at + 1);
  }
  return [out + text.slice(from), ''];
}

/** Where `[n]` or `["…"]` ends: 0 if it is neither; behind the text if that ends before. */
function endOfInstance(text, start) {
  let at = start + 1;
  if (text[at] === '"') {
    for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    at++;
  } else {
    while (text[at] >= '0' && text[at] <= '9') at++;
    if (at === start + 1 && at < text.length) return 0;
  }
  return at >= text.length || text[at] === ']' ? at + 1 : 0;
}
