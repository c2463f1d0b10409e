// §8.2–8.6 Landmarks: answers from the tables of the file. `walk.js` gives the same without them.
import { crc32 } from './checksums.js';
import { INT, STR } from './cursor.js';
import { fail } from './errors.js';
import { bucketBits } from './file.js';
import { ownKey } from './rule.js';
import { Container } from './values.js';

export const NONE = 0xffffffff;
const ENCODER = new TextEncoder();

/** The string or integer under a key of an object; the first one counts. The object can be gone through afterwards. */
function fieldOf(values, box, name) {
  const c = box.cursor, start = c.pos;
  let found;
  values.each(box, (key, cursor, slot) => {
    if (key !== name) return values.pass(cursor, slot);
    const value = values.read(cursor, slot);
    if (!(value instanceof Container)) found = values.kind === STR ? value : values.kind === INT ? { integer: value } : undefined;
    return true;
  });
  c.pos = start;
  return found;
}

/** §8.1: the own key of a value that matches a pattern; a value that is not an object has no fields. */
export function keyOf(values, pattern, entryKey, value) {
  if (pattern.key && !(value instanceof Container && value.isObject)) return undefined;
  return ownKey(pattern, entryKey, (name) => fieldOf(values, value, name));
}

export function compareText(a, b) { // bytewise in UTF-8
  if (a === b) return 0;
  const x = ENCODER.encode(a), y = ENCODER.encode(b), n = Math.min(x.length, y.length);
  for (let i = 0; i < n; i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

export const hashOf = (key) => crc32(ENCODER.encode(key));

/** The index of a file that has the tables of §8.2 to §8.5. Reads the entries that an answer needs, and nothing else. */
export class TableIndex {
  /** @param {import('./file.js').File} file @param {import('./values.js').Values} values */
  constructor(file, values) {
    this.file = file;
    this.values = values;
    this.bytes = file.bytes;
    this.parts = file.parts;
    this.rule = file.rule;
    this.root = this.parts.get(4);
    this.count = this.parts.get(32).length / file.width;
    if (this.count > file.limits.landmarks) fail('LIM-COUNT', this.parts.get(32).entry, `${this.count} landmarks`);
  }

  /** Whether the file has what is needed; where it has not, the document is walked. */
  static fits({ parts, rule }) {
    const has = (...numbers) => numbers.every((number) => parts.has(number));
    return has(32, 35, 36) && (has(33) || rule.patterns.length === 1) && (has(40, 41, 42, 43, 44, 45) || rule.edges.length === 0);
  }

  #u32(at) {
    this.bytes.touch(at, at + 4);
    return this.bytes.u32(at);
  }

  #in(ok, at, what) {
    if (!ok) fail('IDX-RANGE', at, `${what} leads outside`);
  }

  #rootOffset(at, entry) {
    const offset = this.file.wide(at);
    this.#in(offset >= this.root.offset && offset < this.root.end, entry, 'a landmark offset');
    return offset;
  }

  /** §8.2 */
  offset(i) {
    const at = this.parts.get(32).offset + i * this.file.width;
    return this.#rootOffset(at, at);
  }

  /** §8.3 */
  class(i) {
    const part = this.parts.get(33);
    if (!part) return 0;
    const at = part.offset + i;
    this.bytes.touch(at, at + 1);
    this.#in(this.bytes.u8[at] < this.rule.patterns.length, at, 'a class');
    return this.bytes.u8[at];
  }

  /** §8.4; a parent comes before its children, and what follows them after it, so walks end. */
  tree(i) {
    const { at, parent, end } = this.#family(i);
    if ((parent !== NONE && parent >= i) || end <= i) fail('IDX-DIFFERS', at, 'the tree is not that of a document');
    return { parent, end };
  }

  #family(i) {
    const part = this.parts.get(34);
    if (!part) return { at: 0, parent: NONE, end: i + 1 };
    const at = part.offset + i * 8, parent = this.#u32(at), end = this.#u32(at + 4);
    this.#in((parent === NONE || parent < this.count) && end <= this.count, at, 'an entry of the tree');
    return { at, parent, end };
  }

  /** §8.5: a slot, and an entry of the buckets. */
  slot(i) {
    const at = this.parts.get(36).offset + i * 2 * this.file.width;
    return { at, hash: this.#u32(at), offset: this.#rootOffset(at + this.file.width, at) };
  }

  bucket(k) {
    const at = this.parts.get(35).offset + k * 4, slot = this.#u32(at);
    this.#in(slot <= this.count, at, 'a bucket');
    return slot;
  }

  /** §8.6: a row of an edge table, as pairs of an ordinal and the number of an edge pattern. */
  edges(i, reverse) {
    const starts = reverse ? 43 : 40, edges = [];
    if (this.rule.edges.length === 0) return edges;
    const first = this.#start(starts, i), last = this.#start(starts, i + 1);
    if (last < first) fail('IDX-DIFFERS', this.parts.get(starts).offset + i * 4, 'starts descend');
    for (let edge = first; edge < last; edge++) edges.push([this.#target(starts + 1, edge), this.#kind(starts + 2, edge)]);
    return edges;
  }

  #start(number, i) {
    const at = this.parts.get(number).offset + i * 4, start = this.#u32(at);
    this.#in(start <= this.parts.get(number + 1)?.length / 4, at, 'a start');
    return start;
  }

  #target(number, edge) {
    const at = this.parts.get(number).offset + edge * 4, ordinal = this.#u32(at);
    this.#in(ordinal < this.count, at, 'a target');
    return ordinal;
  }

  #kind(number, edge) {
    const at = this.parts.get(number).offset + edge;
    this.bytes.touch(at, at + 1);
    this.#in(this.bytes.u8[at] < this.rule.edges.length, at, 'a kind');
    return this.bytes.u8[at];
  }

  /** Refuses entry `i` of a part if it leads outside. */
  entry(number, i) {
    const start = () => this.#start(number, i), target = () => this.#target(number, i), kind = () => this.#kind(number, i);
    ({ 32: () => this.offset(i), 33: () => this.class(i), 34: () => this.#family(i), 35: () => this.bucket(i), 36: () => this.slot(i),
      40: start, 41: target, 42: kind, 43: start, 44: target, 45: kind })[number]();
  }

  /** The key of the object entry that the landmark is, if it is one, and a cursor at its value. */
  #begin(i) {
    const at = this.offset(i), c = this.values.cursor(at), kind = c.token();
    c.pos = at;
    const atKey = kind === STR || (kind === INT && !this.values.plain && c.value >= 0);
    return { entryKey: atKey ? this.values.key(c) : undefined, c };
  }

  /** A cursor at the value of a landmark. */
  cursor(i) {
    return this.#begin(i).c;
  }

  own(i) {
    const { entryKey, c } = this.#begin(i), pattern = this.rule.patterns[this.class(i)];
    const key = pattern.key ? keyOf(this.values, pattern, entryKey, this.values.read(c)) : entryKey;
    if (key === undefined) fail('IDX-DIFFERS', this.parts.get(32).offset + i * this.file.width, 'what the index calls a landmark has no key');
    return key;
  }

  /** The full key. */
  key(i) {
    const keys = [this.own(i)];
    if (this.rule.join !== undefined) {
      for (let { parent } = this.tree(i); parent !== NONE; { parent } = this.tree(parent)) {
        if (keys.push(this.own(parent)) > this.file.limits.depth) fail('LIM-DEPTH', this.parts.get(34).offset + parent * 8, 'landmarks in landmarks');
      }
    }
    return keys.reverse().join(this.rule.join);
  }

  /** §8.5: the ordinals of the landmarks with a full key, by binary search. */
  find(key) {
    if (this.count === 0) return [];
    const hash = hashOf(key), bits = bucketBits(this.count), k = bits === 0 ? 0 : hash >>> (32 - bits), found = [];
    let low = this.bucket(k), high = this.bucket(k + 1);
    if (low > high) fail('IDX-DIFFERS', this.parts.get(35).offset + k * 4, 'buckets descend');
    const last = high;
    while (low < high) {
      const middle = (low + high) >>> 1, slot = this.slot(middle);
      if (slot.hash < hash || (slot.hash === hash && compareText(this.key(this.#ordinal(slot)), key) < 0)) low = middle + 1;
      else high = middle;
    }
    for (; low < last; low++) {
      const slot = this.slot(low);
      if (slot.hash !== hash) break;
      const ordinal = this.#ordinal(slot);
      if (this.key(ordinal) !== key) break;
      found.push(ordinal);
    }
    return found;
  }

  /** Landmark offsets ascend with the ordinal, as document order is the order of bytes. */
  #ordinal(slot) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offset(middle) < slot.offset) low = middle + 1;
      else high = middle;
    }
    this.#in(low < this.count && this.offset(low) === slot.offset, slot.at, 'a slot');
    return low;
  }
}
