// §8.1, §8.7 Landmarks: the tables of the index, made by walking the document with its rule.
import { need } from './errors.js';
import { bucketBits } from './file.js';
import { NONE, compareText, hashOf, keyOf, utf8Length } from './index.js';
import { Container } from './values.js';

/** Finds landmarks, and the texts in them that may be edges. */
class Walk {
  constructor(file, values) {
    Object.assign(this, { file, values, rule: file.rule, visited: 0, found: 0, room: file.limits.keys });
    this.landmarks = []; // offset, class, parent, end, full key
    this.references = []; // ordinal, text, number of the edge pattern
    this.done = new Set(); // shared values, by their states; where texts are found, by the landmark, too
    const cursor = values.cursor();
    const { start } = this.rule;
    if (start) this.#visit(cursor, undefined, start, undefined, cursor.pos, NONE, 0, true, false);
  }

  #visit(c, slot, state, entryKey, at, around, level, hasPlace, inShared) {
    const { values, file, rule, landmarks, done } = this, { limits, root } = file, position = c.pos;
    need(++this.visited <= limits.streamNodes, 'LIM-NODES', at, 'the walk for landmarks expands too far');
    const value = values.read(c, slot), box = value instanceof Container ? value : null;
    const memo = `${box?.shared} ${state.name} `;
    need(!box || level < limits.depth, 'LIM-DEPTH', box?.at, 'too many levels');
    const own = state.class < 0 ? undefined : keyOf(values, rule.patterns[state.class], entryKey, value);
    let landmark;
    if (own !== undefined) {
      need(hasPlace, 'VAL-FORM', at, 'a landmark in a record or a shared value has no place of its own');
      need(landmarks.length < limits.landmarks, 'LIM-COUNT', root, 'too many landmarks');
      const key = rule.join === undefined || around === NONE ? own : landmarks[around].key + rule.join + own;
      need((this.room -= utf8Length(key)) >= 0, 'LIM-COUNT', root, 'too many bytes of full keys');
      landmark = { offset: at, class: state.class, parent: around, end: 0, key };
      around = landmarks.push(landmark) - 1;
    }
    if (!box) {
      for (const edge of typeof value === 'string' && around !== NONE ? state.edges : []) {
        this.found += this.references.push([around, value, edge]);
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

  /** §8.6: distinct triples of the ordinals from and to which edges lead, and their kinds (§9.9). */
  edges() {
    const byKey = new Map(), seen = new Set(), edges = [], { limits, root, bytes } = this.file;
    let room = Math.min(limits.edges, Math.max(2 ** 22, 16 * bytes.size));
    this.landmarks.forEach(({ key }, i) => byKey.get(key)?.push(i) ?? byKey.set(key, [i]));
    for (const [from, text, edge] of this.references) {
      const { separator: end } = this.rule.edges[edge], cut = end === null ? -1 : text.lastIndexOf(end);
      const name = cut < 0 ? text : text.slice(0, cut), found = byKey.get(name);
      if (!found || seen.size === seen.add(`${from} ${edge} ${name}`).size) continue;
      need((room -= found.length) >= 0, 'LIM-COUNT', root, 'too many edges');
      for (const to of found) edges.push([from, to, edge]);
    }
    return edges;
  }
}

/** Parts 32 to 45 of a document, by their numbers. @returns {Map<number, Uint8Array>} */
export function makeTables(file, values) {
  const walk = new Walk(file, values), { landmarks, rule } = walk, n = landmarks.length;
  const wide = file.width === 8;
  const offset = (at) => (wide ? [at % 2 ** 32, Math.floor(at / 2 ** 32)] : [at]);
  const tables = new Map([[32, words(landmarks.flatMap((landmark) => offset(landmark.offset)))]]);
  if (rule.patterns.length > 1) tables.set(33, Uint8Array.from(landmarks, (landmark) => landmark.class));
  const isNested = landmarks.some((landmark) => landmark.parent !== NONE);
  if (isNested) tables.set(34, words(landmarks.flatMap(({ parent, end }) => [parent, end])));
  const slots = landmarks.map(({ key, offset: at }, i) => ({ hash: hashOf(key), key, i, at }));
  slots.sort((a, b) => a.hash - b.hash || compareText(a.key, b.key) || a.i - b.i);
  const bits = bucketBits(n), bucket = ({ hash }) => (bits ? hash >>> (32 - bits) : 0);
  tables.set(35, rows(slots.map(bucket), 2 ** bits));
  tables.set(36, words(slots.flatMap(({ hash, at }) => [hash, ...(wide ? [0] : []), ...offset(at)])));
  if (rule.edges.length) {
    const edges = walk.edges(), backward = edges.map(([from, to, kind]) => [to, from, kind]);
    for (const [starts, list] of [[40, edges], [43, backward]]) {
      list.sort(([a, b, c], [x, y, z]) => a - x || b - y || c - z);
      tables.set(starts, rows(list.map(([row]) => row), n));
      tables.set(starts + 1, words(list.map(([, target]) => target)));
      tables.set(starts + 2, Uint8Array.from(list, ([, , kind]) => kind));
    }
  }
  return tables;
}

/** Numbers as u32. */
function words(numbers) {
  const bytes = new Uint8Array(4 * numbers.length), view = new DataView(bytes.buffer);
  numbers.forEach((number, i) => view.setUint32(4 * i, number, true));
  return bytes;
}

/** For each row from 0 to `count`, how many of the numbers lie below it (§8.5, §8.6). */
function rows(numbers, count) {
  const below = new Array(count + 1).fill(0);
  for (const number of numbers) below[number + 1]++;
  for (let row = 0; row < count; row++) below[row + 1] += below[row];
  return words(below);
}
