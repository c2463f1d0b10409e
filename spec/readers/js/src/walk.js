// §8.1, §8.7 Landmarks: the index made by walking the document with its rule.
import { fail } from './errors.js';
import { bucketBits } from './file.js';
import { NONE, compareText, hashOf, keyOf } from './index.js';
import { Container } from './values.js';

/** The index made by walking the document. It has the same methods, and makes the bytes that the tables must have. */
export class WalkIndex {
  #references = [];
  #barren = new Set(); // shared values in which nothing is found, by the state in which they are reached

  constructor(file, values) {
    this.file = file;
    this.values = values;
    this.rule = file.rule;
    this.entries = []; // of each landmark: offset, class, parent, end, own, full, position
    this.visited = 0;
    if (this.rule.start) this.#visit(values.cursor(), undefined, this.rule.start, undefined, values.cursor().pos, NONE, 0);
    this.#resolve();
  }

  get count() { return this.entries.length; }
  offset(i) { return this.entries[i].offset; }
  class(i) { return this.entries[i].class; }
  tree(i) { return this.entries[i]; }
  own(i) { return this.entries[i].own; }
  key(i) { return this.entries[i].full; }
  cursor(i) { return this.values.cursor(this.entries[i].position); }
  find(key) { return this.byKey.get(key) ?? []; }
  edges(i, reverse) { return (reverse ? this.dependents : this.dependencies)[i]; }

  #visit(c, slot, state, entryKey, at, around, level, inShared = false, inRecord = false) {
    const { values, file, rule } = this, position = c.pos;
    if (++this.visited > file.limits.streamNodes) fail('LIM-NODES', at, 'the walk for landmarks expands too far');
    const value = values.read(c, slot), box = value instanceof Container ? value : null;
    if (box && level + 1 > file.limits.depth) fail('LIM-DEPTH', box.at, `${level + 1} levels`);
    const own = state.class < 0 ? undefined : keyOf(values, rule.patterns[state.class], entryKey, value);
    let landmark;
    if (own !== undefined) {
      if (inShared || inRecord) fail('VAL-FORM', at, 'a landmark in a record or a shared value has no place of its own');
      if (this.count === file.limits.landmarks) fail('LIM-COUNT', at, 'too many landmarks');
      const full = rule.join !== undefined && around !== NONE ? this.entries[around].full + rule.join + own : own;
      landmark = { offset: at, class: state.class, parent: around, end: 0, own, full, position };
      around = this.entries.push(landmark) - 1;
    }
    if (!box) {
      if (typeof value === 'string' && around !== NONE) for (const edge of state.edges) this.#references.push([around, value, edge]);
    } else if (!state.leaf && !this.#barren.has(`${box.shared} ${state.name}`)) {
      const found = this.count + this.#references.length, isShared = inShared || box.shared >= 0;
      values.each(box, (key, cursor, inner, keyAt) => {
        const next = rule.step(state, key, box.isObject && box.count === 1);
        if (next) this.#visit(cursor, inner, next, key, keyAt, around, level + 1, isShared, box.shape !== null);
        else values.pass(cursor, inner);
      });
      if (box.shared >= 0 && found === this.count + this.#references.length) this.#barren.add(`${box.shared} ${state.name}`);
    } else if (box.shared < 0) {
      c.pos = position;
      values.pass(c, slot);
    }
    if (landmark) landmark.end = this.count;
  }

  #resolve() {
    /** @type {Map<string, number[]>} */
    this.byKey = new Map();
    this.entries.forEach(({ full }, i) => this.byKey.get(full)?.push(i) ?? this.byKey.set(full, [i]));
    this.dependencies = this.entries.map(() => []);
    this.dependents = this.entries.map(() => []);
    const seen = new Set();
    for (const [from, text, edge] of this.#references) {
      const { separator } = this.rule.edges[edge], cut = separator === null ? -1 : text.lastIndexOf(separator);
      for (const to of this.find(cut < 0 ? text : text.slice(0, cut))) {
        if (seen.size === seen.add(`${from} ${to} ${edge}`).size) continue;
        if (seen.size > this.file.limits.edges) fail('LIM-COUNT', this.offset(from), 'too many edges');
        this.dependencies[from].push([to, edge]);
        this.dependents[to].push([from, edge]);
      }
    }
    for (const row of [...this.dependencies, ...this.dependents]) row.sort(([a, x], [b, y]) => a - b || x - y);
  }

  /** The bytes that part 32 to 45 must have. */
  table(number) {
    const n = this.count, wide = this.file.width === 8;
    const numbers = (list) => Uint8Array.from(list.flatMap((x) => [x & 255, (x >>> 8) & 255, (x >>> 16) & 255, x >>> 24]));
    const offset = (x) => (wide ? [x % 2 ** 32, Math.floor(x / 2 ** 32)] : [x]);
    const slots = () => this.entries.map(({ full, offset: at }, i) => ({ hash: hashOf(full), full, i, at }))
      .sort((a, b) => a.hash - b.hash || compareText(a.full, b.full) || a.i - b.i);
    if (number >= 40 && this.rule.edges.length === 0) return numbers([]);
    const rows = number < 43 ? this.dependencies : this.dependents;
    switch (number) {
      case 32: return numbers(this.entries.flatMap((entry) => offset(entry.offset)));
      case 33: return Uint8Array.from(this.rule.patterns.length > 1 ? this.entries : [], (entry) => entry.class);
      case 34: if (this.entries.every((entry) => entry.parent === NONE)) return numbers([]); else return numbers(this.entries.flatMap((entry) => [entry.parent, entry.end]));
      case 35: {
        const bits = bucketBits(n), buckets = new Array(2 ** bits + 1).fill(0);
        for (const { hash } of slots()) buckets[(bits ? hash >>> (32 - bits) : 0) + 1]++;
        for (let k = 1; k < buckets.length; k++) buckets[k] += buckets[k - 1];
        return numbers(buckets);
      }
      case 36: return numbers(slots().flatMap(({ hash, at }) => (wide ? [hash, 0, ...offset(at)] : [hash, at])));
      case 40: case 43: {
        let start = 0;
        return numbers([0, ...rows.map((row) => (start += row.length))]);
      }
      case 41: case 44: return numbers(rows.flat().map(([ordinal]) => ordinal));
      default: return Uint8Array.from(rows.flat(), ([, edge]) => edge);
    }
  }
}
