// §8.1, §8.7 Landmarks: the tables of the index, made by walking the document with its rule.
import { need } from './errors.js';
import { bucketBits } from './file.js';
import { crc32 } from './hashes.js';
import { keyOf } from './index.js';
import { NONE } from './keys.js';
import { references } from './rule.js';
import { Container } from './values.js';

const ENCODER = new TextEncoder(), NO_KEY = { hash: 0, size: 0 }, MOST = 2 ** 24; // landmarks

/**
 * Finds landmarks and, if the rule has edges, the texts that are references according to `find`.
 */
export class Walk {
  constructor(file, values, rule, find) {
    Object.assign(this, { file, values, rule, find, visited: 0, found: 0, room: file.limits.keys });
    this.edgeRoom = Math.min(file.limits.edges, Math.max(2 ** 22, 16 * file.bytes.size)); // §9.9
    this.landmarks = []; // offset, class, parent, end, own key, hash and size of the full key
    this.owns = new Map(); // own keys, each held once, by CRC-32: engines hash long texts by length
    this.named = new Map(); // what `find` found
    this.seen = new Set(); // references
    this.edges = []; // each once, `packed`
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
    const edge = this.rule.edges[number], isAddress = edge.form === '[';
    for (const name of references(edge, text)) {
      const memo = (isAddress ? '[' : '') + name;
      if (!this.named.has(memo)) this.named.set(memo, this.find(name, isAddress));
      const targets = this.named.get(memo), { seen } = this;
      const isNew = (to) => seen.size < seen.add(`${from} ${number} ${to}`).size;
      if (targets.length) this.found++;
      // Two keys lead to different landmarks, but two addresses may lead to one.
      const fresh = isAddress ? targets.filter(isNew) : targets.length && isNew(targets[0]) ? targets : [];
      need((this.edgeRoom -= fresh.length) >= 0, 'LIM-COUNT', this.file.root, 'too many edges');
      for (const to of fresh) this.edges.push(packed(from, to, number));
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
    const buckets = rows(slots.map(({ hash }) => (bits ? hash >>> (32 - bits) : 0)), 2 ** bits);
    const entries = slots.flatMap(({ hash, offset }) => [hash, offset]);
    return new Map([[35, buckets], [36, words(entries, this.file.width)]]);
  }
}

/** An edge as one number: 24 bits for each ordinal, and five for the pattern. They sort as edges do. */
const packed = (from, to, number) => (from * MOST + to) * 32 + number;
const fromOf = (edge) => Math.floor(edge / (MOST * 32)), toOf = (edge) => Math.floor(edge / 32) % MOST;

/** §8.6: parts 40 to 45 of the edges of `count` landmarks. */
export function edgeTables(edges, count) {
  const tables = new Map(), list = new Float64Array(edges);
  for (const starts of [40, 43]) {
    if (starts === 43) list.forEach((edge, i) => { list[i] = packed(toOf(edge), fromOf(edge), edge % 32); });
    list.sort();
    tables.set(starts, rows(list.map(fromOf), count));
    tables.set(starts + 1, words(list.map(toOf)));
    tables.set(starts + 2, new Uint8Array(list.map((edge) => edge % 32)));
  }
  return tables;
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

/** For each row from 0 to `count`, how many of the numbers are below it (§8.5, §8.6). */
function rows(numbers, count) {
  const below = new Array(count + 1).fill(0);
  for (const number of numbers) below[number + 1]++;
  for (let row = 0; row < count; row++) below[row + 1] += below[row];
  return words(below);
}
