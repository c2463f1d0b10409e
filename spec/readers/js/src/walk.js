// §8.1, §8.7 Landmarks: the tables of the index, made by walking the document with its rule.
import { need } from './errors.js';
import { bucketBits } from './file.js';
import { crc32 } from './hashes.js';
import { keyOf } from './index.js';
import { NONE, search } from './keys.js';
import { references } from './rule.js';
import { Container } from './values.js';

const ENCODER = new TextEncoder(), NO_KEY = { hash: 0, size: 0 }, MOST = 2 ** 24; // landmarks

/**
 * Finds landmarks and, if the rule has edges, the texts that are references according to `find`.
 */
export class Walk {
  constructor(file, values, rule, find) {
    // `refs`: the references of each landmark, with kinds, and names in `named`.
    Object.assign(this, { file, values, rule, find, visited: 0, found: 0, refs: [], room: file.limits.keys });
    this.landmarks = []; // offset, class, parent, end, own key, hash and size of the full key
    this.owns = new Map(); // own keys, each held once, by CRC-32: engines hash long texts by length
    this.named = new Map(); // what `find` found
    this.done = new Set(); // shared values, by their states; where edges are found, by the landmark, too
    const cursor = values.cursor(), { start } = rule;
    if (start) this.#visit(cursor, undefined, start, undefined, cursor.pos, NONE, 0, true, false);
  }

  #visit(c, slot, state, entryKey, at, around, level, hasPlace, inShared) {
    const { values, file, rule, landmarks, done } = this, { limits, root } = file, position = c.pos;
    need(++this.visited <= limits.streamNodes, 'LIM-WORK', at, `gave up after ${limits.streamNodes} steps`);
    const value = values.read(c, slot), box = value instanceof Container ? value : null;
    const memo = `${box?.shared} ${state.name} `;
    need(!box || level < limits.depth, 'LIM-DEPTH', box?.at, 'too many levels');
    const own = state.class < 0 ? undefined : keyOf(values, rule.patterns[state.class], entryKey, value);
    let landmark;
    if (own !== undefined) {
      need(hasPlace, 'VAL-FORM', at, 'a landmark in a record or a shared value has no place of its own');
      need(landmarks.length < Math.min(limits.landmarks, MOST), 'LIM-COUNT', root, 'too many landmarks');
      const isFull = rule.join === undefined || around === NONE, parent = isFull ? NO_KEY : landmarks[around];
      const text = ENCODER.encode(isFull ? own : rule.join + own), size = parent.size + text.length;
      need((this.room -= size) >= 0, 'LIM-COUNT', root, 'too many bytes of full keys');
      const hash = crc32(text, 0, text.length, parent.hash), sum = crc32(text);
      if (this.owns.get(sum) !== own) this.owns.set(sum, own);
      const key = this.owns.get(sum);
      landmark = { offset: at, class: state.class, parent: around, end: 0, own: key, hash, size };
      around = landmarks.push(landmark) - 1;
    }
    if (!box) {
      for (const edge of typeof value === 'string' && around !== NONE ? state.edges : []) {
        this.#refer(around, value, edge);
      }
    } else if (!state.leaf && !done.has(memo) && !(done.has(memo + around) && ++this.found)) {
      const { found } = this, isShared = inShared || box.shared >= 0;
      values.each(box, (key, cursor, inner, keyAt) => {
        const next = rule.step(state, key, box.isObject && box.count === 1);
        const isPlace = !isShared && !box.shape;
        if (next) this.#visit(cursor, inner, next, key, keyAt, around, level + 1, isPlace, isShared);
        else values.pass(cursor, inner);
      });
      if (box.shared >= 0) done.add(found === this.found ? memo : memo + around);
    } else if (box.shared < 0) {
      c.pos = position;
      values.pass(c, slot);
    }
    if (landmark) landmark.end = landmarks.length;
  }

  /** §8.1: a text in landmark `from`, where an edge pattern ends. */
  #refer(from, text, number) {
    const edge = this.rule.edges[number], isAddress = edge.form === '[', to = this.refs[from] ??= new Set();
    for (const name of references(edge, text)) {
      const memo = (isAddress ? '[' : '') + name;
      if (!this.named.has(memo)) this.named.set(memo, this.find(name, isAddress));
      if (this.named.get(memo).length && ++this.found) to.add(`${number} ${memo}`);
    }
  }

  /** §8.2 to §8.4: parts 32 to 34, by their numbers. @returns {Map<number, Uint8Array>} */
  tables() {
    const { landmarks } = this;
    return new Map([
      [32, words(landmarks.map(({ offset }) => offset), this.file.width)],
      [33, Uint8Array.from(landmarks, (landmark) => landmark.class)],
      [34, words(landmarks.flatMap(({ parent, end }) => [parent, end]))],
    ]);
  }

  /** §8.5, with the order of the full keys of two ordinals. */
  slots(compare) {
    const { landmarks } = this, bits = bucketBits(landmarks.length);
    const slots = landmarks.map(({ hash, offset }, i) => ({ hash, offset, i }));
    slots.sort((a, b) => a.hash - b.hash || compare(a.i, b.i) || a.i - b.i);
    const first = (bucket) => search(0, slots.length, (i) => slots[i].hash < bucket * 2 ** (32 - bits));
    const buckets = Array.from({ length: 2 ** bits + 1 }, (_, bucket) => first(bucket));
    const entries = slots.flatMap(({ hash, offset }) => [hash, offset]);
    return new Map([[35, words(buckets)], [36, words(entries, this.file.width)]]);
  }

  /** §8.6: parts 40 to 45. An edge is one number, of its other end and kind. */
  edgeTables() {
    const lists = this.landmarks.map((_, i) => [...this.refs[i] ?? []].sort());
    const forward = this.#rows(lists, (name) => this.named.get(name));
    const sources = forward.rows.map(() => []), met = lists.map(() => []);
    forward.numbers.forEach((number, i) => sources[number].push(i));
    forward.rows.forEach((row, i) => row.forEach((edge) => met[edge >> 5].push(`${edge & 31} ${i}`)));
    const backward = this.#rows(met, (number) => sources[number]);
    return new Map([...this.#edgeTables(40, forward), ...this.#edgeTables(43, backward)]);
  }

  /** The distinct rows of these lists, and the number of the row of each. */
  #rows(lists, ends) {
    const { limits, bytes, root } = this.file, rows = [], known = new Map();
    let room = Math.min(limits.edges, Math.max(2 ** 22, 16 * bytes.size)); // §9.9
    const number = (key, make) => known.get(key) ?? known.set(key, make()).get(key);
    const to = (item) => ends(item.slice(item.indexOf(' ') + 1));
    return { rows, numbers: lists.map((list) => number(JSON.stringify(list), () => {
      for (const item of list) need((room -= to(item).length) >= 0, 'LIM-COUNT', root, 'too many edges');
      const row = new Set(list.flatMap((item) => to(item).map((end) => end * 32 + parseInt(item, 10))));
      const sorted = [...row].sort((a, b) => a - b);
      return number(sorted.join(), () => rows.push(sorted) - 1);
    })) };
  }

  /** As the file has them: with shared rows, or without. */
  #edgeTables(starts, { rows, numbers }) {
    const part = this.file.parts.get(starts), isShared = !part || part.length === 8 * numbers.length;
    const kept = isShared ? rows : numbers.map((row) => rows[row]), edges = kept.flat();
    let end = 0;
    const ends = [end, ...kept.map((row) => (end += row.length))];
    const firsts = isShared ? numbers.flatMap((number) => [ends[number], ends[number + 1]]) : ends;
    const targets = words(edges.map((edge) => edge >> 5)), kinds = Uint8Array.from(edges, (n) => n & 31);
    return [[starts, words(firsts)], [starts + 1, targets], [starts + 2, kinds]];
  }
}

/** Numbers as u32, or as u64. */
export function words(numbers, width = 4) {
  const bytes = new Uint8Array(width * numbers.length), view = new DataView(bytes.buffer);
  numbers.forEach((number, i) => {
    view.setUint32(width * i, number % 2 ** 32, true);
    if (width === 8) view.setUint32(width * i + 4, Math.floor(number / 2 ** 32), true);
  });
  return bytes;
}
