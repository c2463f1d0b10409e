// §8.2–8.6 Landmarks: lookups in the tables of the file, or in those of a walk of the document
// (§8.7).
import { INT, STR } from './cursor.js';
import { fail } from './errors.js';
import { ENTRIES, bucketBits } from './file.js';
import { hex } from './hashes.js';
import { Addresses, Keys, NONE, equal, hashOf, search } from './keys.js';
import { Rule, ownKey } from './rule.js';
import { Container } from './values.js';
import { Walk } from './walk.js';

/**
 * The tables by their numbers. Reads the entries that an answer needs. One that leads outside is
 * IDX-RANGE.
 */
export class Index {
  #addresses;
  #last = {}; // the landmark whose own key was read last

  /** @param {import('./file.js').File} file @param {import('./values.js').Values} values */
  constructor(file, values, { walk = false } = {}) {
    const { patterns, edges, join } = (this.rule = Rule.of(file)), { bytes, limits: { depth } } = file;
    // `landmarks` have their own keys, and are there where the tables are made.
    Object.assign(this, { file, values, bytes, landmarks: null, count: 0 });
    this.tables = new Map(); // view, begin, count of entries, their size
    const root = file.parts.get(4), isPlace = (offset) => offset >= root.offset && offset < root.end;
    const isStart = (starts) => (number) => number <= this.#length(starts + 1);
    const isOrdinal = (number) => number < this.count, isEdge = (number) => number < edges.length;
    this.bounds = {
      32: isPlace, 33: (number) => number < patterns.length, 35: (number) => number <= this.count,
      36: isPlace,
      40: isStart(40), 41: isOrdinal, 42: isEdge, 43: isStart(43), 44: isOrdinal, 45: isEdge,
    };
    const parent = (i) => (join === undefined ? NONE : this.tree(i).parent);
    const piece = (i) => (parent(i) === NONE ? '' : join) + this.own(i);
    const check = (i, levels) => levels > depth && this.#refuse('LIM-DEPTH', 34, i);
    this.keys = new Keys(parent, piece, undefined, check);
    if (walk || !file.parts.has(32)) {
      const found = new Walk(file, values, this.rule.bare);
      this.landmarks = found.landmarks;
      this.#take(found.tables());
      this.#take(found.slots((one, two) => this.keys.compare(one, two)));
    } else {
      const isOfIndex = ({ number }) => number >= 32 && number <= 45 && number in ENTRIES;
      for (const part of [...file.parts.values()].filter(isOfIndex)) {
        this.#add(part.number, bytes.view, part.offset, part.length);
      }
    }
  }

  #add(number, view, begin, length) {
    const size = this.file.entrySize(number);
    this.tables.set(number, { view, begin, size, count: length / size });
    this.count = this.#length(32);
  }

  #take(made) {
    for (const [number, table] of made) this.#add(number, new DataView(table.buffer), 0, table.length);
  }

  /** §8.6: edges are made on demand, since a small file can have any number. */
  makeEdges() {
    if (!this.landmarks || this.tables.has(40)) return;
    const lead = (name, isAddress) => (isAddress ? this.#address(name) : this.find(name));
    this.#take(new Walk(this.file, this.values, this.rule, lead).edgeTables());
  }

  /** §8.1: landmarks with this full key, with or without instance keys, but none in another. */
  #address(name) {
    this.#addresses ??= new Addresses(this.keys, this.count);
    const found = new Set([...this.find(name), ...this.#addresses.find(name)]);
    return [...found].filter((i) => !found.has(this.tree(i).parent)).sort((a, b) => a - b);
  }

  #length(number) { return this.tables.get(number)?.count ?? 0; }

  /** The little-endian number of 1, 4 or 8 bytes at `skip` in entry `i` of a table. */
  #number(table, i, skip = 0, width = table.size) {
    const { view, begin, size } = table, at = begin + i * size + skip;
    if (view === this.bytes.view) this.bytes.touch(at, at + width);
    if (width === 1) return view.getUint8(at);
    return view.getUint32(at, true) + (width === 8 ? view.getUint32(at + 4, true) * 2 ** 32 : 0);
  }

  #refuse(code, number, i) {
    const { begin, size } = this.tables.get(number);
    fail(code, begin + i * size, `entry ${i} of part ${number}`);
  }

  /**
   * The target of an entry. A slot leads to its offset (§8.5); the tree has two targets (`tree`).
   */
  entry(number, i) {
    const table = this.tables.get(number), half = table.size / 2;
    const found = number === 36 ? this.#number(table, i, half, half) : this.#number(table, i);
    if (!this.bounds[number](found)) this.#refuse('IDX-RANGE', number, i);
    return found;
  }

  offset(i) { return this.entry(32, i); }
  class(i) { return this.tables.has(33) ? this.entry(33, i) : 0; }

  /** §8.4: parent, or NONE, and end, so that walks over parents and children end. */
  tree(i) {
    const table = this.tables.get(34);
    if (!table) return { parent: NONE, end: i + 1 };
    const parent = this.#number(table, i, 0, 4), end = this.#number(table, i, 4, 4), isRoot = parent === NONE;
    if ((!isRoot && parent >= this.count) || end > this.count) this.#refuse('IDX-RANGE', 34, i);
    if ((!isRoot && parent >= i) || end <= i) this.#refuse('IDX-DIFFERS', 34, i);
    return { parent, end };
  }

  /** §8.6: a row of an edge table, as pairs of an ordinal and the number of an edge pattern. */
  edges(i, reverse) {
    this.makeEdges();
    if (!this.tables.has(40)) return [];
    const starts = reverse ? 43 : 40;
    const at = this.#length(starts) === 2 * this.count ? 2 * i : i; // with shared rows, or without
    const first = this.entry(starts, at), last = this.entry(starts, at + 1);
    if (last < first) this.#refuse('IDX-DIFFERS', starts, at);
    const edge = (n) => [this.entry(starts + 1, n), this.entry(starts + 2, n)];
    return Array.from({ length: last - first }, (_, n) => edge(first + n));
  }

  /** The key of the object entry that the landmark is, if any, and a cursor at its value. */
  #begin(i) {
    const at = this.offset(i), c = this.values.cursor(at), kind = c.token();
    c.pos = at;
    const atKey = kind === STR || (kind === INT && !this.values.plain && c.value >= 0);
    return { entryKey: atKey ? this.values.key(c) : undefined, c };
  }

  /** A cursor at the value of a landmark. */
  cursor(i) { return this.#begin(i).c; }

  own(i) { return this.#own(i) ?? this.#refuse('IDX-DIFFERS', 32, i); }

  #own(i) {
    if (this.landmarks) return this.landmarks[i].own;
    if (this.#last.i !== i) {
      const { entryKey, c } = this.#begin(i), pattern = this.rule.patterns[this.class(i)];
      const own = () => keyOf(this.values, pattern, entryKey, pattern.key && this.values.read(c));
      this.#last = { i, own: pattern && own() };
    }
    return this.#last.own;
  }

  /** The full key. */
  key(i) { return this.keys.text(i); }

  /** The ordinals of the landmarks with a full key. */
  find(key) {
    const compare = this.keys.against(key);
    if (this.tables.has(36)) return [...this.#slots(key, compare)].map((slot) => this.ordinal(slot));
    return [...Array(this.count).keys()].filter((i) => compare(i) === 0);
  }

  /** §8.7: reads all keys, and refuses slots that lack this one. */
  checkAbsent(key) {
    const compare = this.keys.against(key), isLost = (i) => compare(i) === 0;
    if (this.tables.has(36) && [...Array(this.count).keys()].some(isLost)) this.#refuse('IDX-DIFFERS', 36, 0);
  }

  /** §8.5: the slots of a full key, by binary search. */
  #slots(key, compare) {
    if (this.count === 0 || /\p{Surrogate}/u.test(key)) return [];
    const hash = hashOf(key), bits = bucketBits(this.count), k = bits === 0 ? 0 : hash >>> (32 - bits);
    const first = this.entry(35, k), last = this.entry(35, k + 1);
    if (first > last) this.#refuse('IDX-DIFFERS', 35, k);
    const slots = this.tables.get(36), hashAt = (slot) => this.#number(slots, slot, 0, 4);
    return equal(first, last, hash, hashAt, (slot) => {
      const i = this.ordinal(slot), order = compare(i);
      if (order !== 0 && hashOf(this.key(i)) !== hash) this.#refuse('IDX-DIFFERS', 36, slot);
      return order;
    });
  }

  /** §8.8: the digest that the file gives for a landmark. It is not believed before `verify`. */
  digest(i) {
    const table = this.tables.get(37), key = table && this.key(i);
    const slots = table ? [...this.#slots(key, this.keys.against(key))] : [];
    const slot = slots.find((each) => this.ordinal(each) === i), at = table?.begin + 16 * slot;
    if (slot === undefined) return undefined;
    this.bytes.touch(at, at + 16);
    return hex(this.bytes.u8.subarray(at, at + 16));
  }

  /** Landmark offsets ascend with the ordinal, since document order is the order of bytes. */
  ordinal(slot) {
    const offset = this.entry(36, slot), ordinal = search(0, this.count, (i) => this.offset(i) < offset);
    if (ordinal === this.count || this.offset(ordinal) !== offset) this.#refuse('IDX-RANGE', 36, slot);
    if (this.#own(ordinal) === undefined) this.#refuse('IDX-DIFFERS', 36, slot);
    return ordinal;
  }
}

/**
 * §8.1: the own key of a value that matches a pattern. A value that is not an object has no fields.
 */
export function keyOf(values, pattern, entryKey, value) {
  if (pattern.key && !(value instanceof Container && value.isObject)) return undefined;
  return ownKey(pattern, entryKey, (path, isList) => fieldOf(values, value, path, isList));
}

/**
 * The string or integer at a path of keys in an object, or the items of a list there. Does not move
 * the cursor of the object.
 */
function fieldOf(values, box, path, isList) {
  const start = box.cursor.pos;
  let found = box;
  for (const name of path) {
    const at = found?.isObject && enter(values, found, name);
    found = at ? values.read(at.cursor, at.slot) : undefined;
  }
  const items = isList && found instanceof Container && !found.isObject ? [] : undefined;
  const isLast = (item) => items.push(item) && item instanceof Container; // the rest is not needed
  if (items) values.each(found, (_, cursor, slot) => isLast(values.read(cursor, slot)));
  box.cursor.pos = start;
  if (isList || typeof found === 'string') return isList ? items : found;
  const isInteger = values.kind === INT && ['number', 'bigint'].includes(typeof found);
  return isInteger ? { integer: found } : undefined;
}

/** Where the entry or item of this name is in a list or object, of which the first counts. */
export function enter(values, value, name) {
  let found, index = 0;
  if (!(value instanceof Container)) return undefined;
  values.each(value, (key, cursor, slot) => {
    if ((value.isObject ? key : String(index++)) !== name) return values.pass(cursor, slot);
    found = { cursor, slot };
    return true;
  });
  return found;
}
