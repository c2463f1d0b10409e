// §8.2–8.6 Landmarks: lookups in the tables of the file, or in those of a walk of the document
// (§8.7).
import { crc32 } from './hashes.js';
import { INT, STR } from './cursor.js';
import { fail, need } from './errors.js';
import { EDGE_TABLES, INDEX_TABLES, bucketBits } from './file.js';
import { ownKey } from './rule.js';
import { Container } from './values.js';
import { Walk } from './walk.js';

export const NONE = 0xffffffff;
const ENCODER = new TextEncoder();

/**
 * The tables by their numbers. Reads the entries that an answer needs. One that leads outside is
 * IDX-RANGE.
 */
export class Index {
  /** @param {import('./file.js').File} file @param {import('./values.js').Values} values */
  constructor(file, values, { walk = false, asItIs = false } = {}) {
    Object.assign(this, { file, values, bytes: file.bytes, rule: file.rule, isWide: file.width === 8 });
    const { patterns, edges } = this.rule;
    this.tables = new Map(); // view, begin, count of entries, their size
    const needed = [32, 35, 36, ...(patterns.length > 1 ? [33] : []), ...(edges.length ? EDGE_TABLES : [])];
    const isWhole = patterns.length > 0 && needed.every((number) => file.parts.has(number));
    const root = file.parts.get(4), isPlace = (offset) => offset >= root.offset && offset < root.end;
    const isStart = (starts) => (number) => number <= this.#length(starts + 1);
    const isOrdinal = (number) => number < this.count, isEdge = (number) => number < edges.length;
    this.bounds = {
      32: isPlace, 33: (number) => number < patterns.length, 35: (number) => number <= this.count,
      36: isPlace,
      40: isStart(40), 41: isOrdinal, 42: isEdge, 43: isStart(43), 44: isOrdinal, 45: isEdge,
    };
    this.landmarks = null; // with their own keys, where the tables are made
    this.count = 0;
    if (!asItIs && (walk || !isWhole)) {
      const found = new Walk(file, values, this.rule.bare);
      this.landmarks = found.landmarks;
      this.#take(found.tables());
      this.#take(found.slots((one, two) => this.#compare(one, ENCODER.encode(this.key(two)))));
    } else {
      const present = [...INDEX_TABLES, ...EDGE_TABLES].flatMap((number) => file.parts.get(number) ?? []);
      for (const { number, offset, length } of present) this.#add(number, this.bytes.view, offset, length);
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
    if (this.rule.edges.length === 0 || this.tables.has(40)) return;
    this.#take(new Walk(this.file, this.values, this.rule, (key) => this.find(key)).edgeTables());
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
   * The target of an entry. A slot leads to its offset (§8.5); the tree has two targets (`family`).
   */
  entry(number, i) {
    const table = this.tables.get(number), half = table.size / 2;
    const found = number === 36 ? this.#number(table, i, half, half) : this.#number(table, i);
    if (!this.bounds[number](found)) this.#refuse('IDX-RANGE', number, i);
    return found;
  }

  offset(i) { return this.entry(32, i); }
  class(i) { return this.tables.has(33) ? this.entry(33, i) : 0; }

  /** §8.4: parent, or NONE, and end. */
  family(i) {
    const table = this.tables.get(34);
    if (!table) return { parent: NONE, end: i + 1 };
    const parent = this.#number(table, i, 0, 4), end = this.#number(table, i, 4, 4);
    if ((parent !== NONE && parent >= this.count) || end > this.count) this.#refuse('IDX-RANGE', 34, i);
    return { parent, end };
  }

  /** The same, checked so that walks over parents and children end. */
  tree(i) {
    const { parent, end } = this.family(i);
    if ((parent !== NONE && parent >= i) || end <= i) this.#refuse('IDX-DIFFERS', 34, i);
    return { parent, end };
  }

  /** §8.6: a row of an edge table, as pairs of an ordinal and the number of an edge pattern. */
  edges(i, reverse) {
    if (this.rule.edges.length === 0) return [];
    this.makeEdges();
    const starts = reverse ? 43 : 40, edges = [];
    const first = this.entry(starts, i), last = this.entry(starts, i + 1);
    if (last < first) this.#refuse('IDX-DIFFERS', starts, i);
    for (let edge = first; edge < last; edge++) {
      edges.push([this.entry(starts + 1, edge), this.entry(starts + 2, edge)]);
    }
    return edges;
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

  own(i) {
    if (this.landmarks) return this.landmarks[i].own;
    const { entryKey, c } = this.#begin(i), pattern = this.rule.patterns[this.class(i)];
    const key = pattern.key ? keyOf(this.values, pattern, entryKey, this.values.read(c)) : entryKey;
    if (key === undefined) this.#refuse('IDX-DIFFERS', 32, i);
    return key;
  }

  /** The full key. */
  key(i) { return [...this.#pieces(i)].join(''); }

  /** Own keys from the outermost landmark to this one, with the join between them. */
  *#pieces(i) {
    const chain = [i], { join } = this.rule, { depth } = this.file.limits;
    for (let at = i; join !== undefined && (at = this.tree(at).parent) !== NONE; ) {
      if (chain.push(at) > depth) this.#refuse('LIM-DEPTH', 34, at);
    }
    yield this.own(chain.pop());
    while (chain.length) yield* [join, this.own(chain.pop())];
  }

  /** The bytewise order of a full key and another; reads no more of it than needed. */
  #compare(i, wanted) {
    let at = 0;
    for (const piece of this.#pieces(i)) {
      for (const byte of ENCODER.encode(piece)) {
        if (byte !== wanted[at]) return byte - (wanted[at] ?? -1);
        at++;
      }
    }
    return at - wanted.length;
  }

  /** §8.5: the ordinals of the landmarks with a full key, by binary search. */
  find(key) {
    if (this.count === 0 || /\p{Surrogate}/u.test(key)) return [];
    const wanted = ENCODER.encode(key), hash = crc32(wanted), bits = bucketBits(this.count), found = [];
    const k = bits === 0 ? 0 : hash >>> (32 - bits);
    const first = this.entry(35, k), last = this.entry(35, k + 1);
    if (first > last) this.#refuse('IDX-DIFFERS', 35, k);
    const slots = this.tables.get(36), hashAt = (slot) => this.#number(slots, slot, 0, 4);
    const isBefore = (slot) => hashAt(slot) < hash
      || (hashAt(slot) === hash && this.#compare(this.#ordinal(slot), wanted) < 0);
    for (let slot = search(first, last, isBefore); slot < last && hashAt(slot) === hash; slot++) {
      const ordinal = this.#ordinal(slot);
      if (this.#compare(ordinal, wanted) !== 0) break;
      found.push(ordinal);
    }
    return found;
  }

  /** Landmark offsets ascend with the ordinal, since document order is the order of bytes. */
  #ordinal(slot) {
    const offset = this.entry(36, slot), ordinal = search(0, this.count, (i) => this.offset(i) < offset);
    if (ordinal === this.count || this.offset(ordinal) !== offset) this.#refuse('IDX-RANGE', 36, slot);
    return ordinal;
  }
}

/** The first number from `low` on, below `high`, that is not before the wanted one. */
function search(low, high, isBefore) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * §8.1: the own key of a value that matches a pattern. A value that is not an object has no fields.
 */
export function keyOf(values, pattern, entryKey, value) {
  if (pattern.key && !(value instanceof Container && value.isObject)) return undefined;
  return ownKey(pattern, entryKey, (name) => fieldOf(values, value, name));
}

/**
 * The string or integer under a key of an object, of which the first counts. Does not move the
 * cursor of the object.
 */
function fieldOf(values, box, name) {
  const c = box.cursor, start = c.pos;
  let found;
  values.each(box, (key, cursor, slot) => {
    if (key !== name) return values.pass(cursor, slot);
    const value = values.read(cursor, slot), isInteger = values.kind === INT && !(value instanceof Container);
    found = typeof value === 'string' ? value : isInteger ? { integer: value } : undefined;
    return true;
  });
  c.pos = start;
  return found;
}

/**
 * Parts 32 to 36 of a document, and 40 to 45, by their numbers.
 * @returns {Map<number, Uint8Array>}
 */
export function makeTables(file, values, withEdges = true) {
  const index = new Index(file, values, { walk: true });
  if (withEdges) index.makeEdges();
  return new Map([...index.tables].map(([number, { view }]) => [number, new Uint8Array(view.buffer)]));
}
