// §9 How far values expand, and level *decode* of §10.4, which reads all of them once.
import { FLOAT, INT, STR } from './cursor.js';
import { fail, need } from './errors.js';
import { Container, NESTED, sum } from './values.js';

/** `nodes` are values, `bytes` about those of their text, `depth` levels, all without sharing. */
export class Measure {
  #shared = []; // of each shared value
  #complete = 0; // lower ones are known
  #nesting = 0;

  /** @param {import('./values.js').Values} values */
  constructor(values) {
    this.values = values;
    this.depth = values.limits.depth;
  }

  /** Reads strings, shapes, shared values and root. Returns the root's measure. */
  document() {
    const { values } = this, { parts, headerEnd } = values.file;
    let at = headerEnd; // §10.4: the parts follow the header and each other
    for (const { offset, end } of [1, 2, 3, 4].map((number) => parts.get(number))) {
      need(offset === at, 'MSG-TRAILING', at, 'bytes before a part');
      values.bytes.load(offset, (at = end));
    }
    const ends = (number, end) => { // §10.4: a part has no bytes after its value
      need(end === parts.get(number).end, 'MSG-TRAILING', end, `part ${number} continues after its value`);
    };
    ends(1, values.strings.walk((id, c) => values.tableString(id, c)));
    ends(2, values.shapes.walk((id, c) => {
      const keys = new Set();
      if (!values.plain) values.shape(id, 0, (key, at) => distinct(keys, key, at)); // §4.6
      c.skip();
    }));
    ends(3, values.shared.walk((id, c) => {
      if (values.plain) c.skip();
      else c.pos = this.shared(id).end;
    }));
    const root = values.cursor(), measure = this.value(root);
    ends(4, root.pos);
    return measure;
  }

  /** The value at a position, with all its forms checked. */
  value(c, slot) {
    const total = { nodes: 0, bytes: 0, depth: 0 };
    this.#nesting = 0;
    this.#add(c, slot, 0, total);
    return total;
  }

  /** The expansion of shared value `id`, and its end; each is read once. */
  shared(id) {
    if (this.#shared[id]) return this.#shared[id];
    if (this.#nesting > this.depth) { // a long chain of references must not be a deep recursion
      for (; this.#complete < id; this.#complete++) this.shared(this.#complete);
    }
    const box = this.values.sharedValue(id);
    const total = { nodes: 1, bytes: 0, depth: 1 + (box.shape?.depth ?? 0) };
    need(total.depth <= this.depth, 'LIM-DEPTH', box.at, `${total.depth} levels`);
    this.#addItems(box, 1, total);
    total.end = box.cursor.pos;
    return (this.#shared[id] = total);
  }

  #add(c, slot, level, total) {
    const { values } = this, value = values.read(c, slot), { kind } = values;
    total.nodes = sum(total.nodes, 1);
    if (!(value instanceof Container)) {
      const length = kind === STR ? value.length + 3 : kind === FLOAT || kind === INT ? 12 : 5;
      total.bytes = sum(total.bytes, length);
      return;
    }
    const inner = value.shared < 0 ? null : this.shared(value.shared);
    const deepest = level + (inner ? inner.depth : 1 + (value.shape?.depth ?? 0));
    if (deepest > this.depth) fail('LIM-DEPTH', value.at, `${deepest} levels`);
    total.depth = Math.max(total.depth, deepest);
    if (inner) {
      total.nodes = sum(total.nodes, inner.nodes - 1);
      total.bytes = sum(total.bytes, inner.bytes);
    } else this.#addItems(value, level + 1, total);
  }

  #addItems(box, level, total) {
    total.bytes = sum(total.bytes, 2);
    this.#nesting++;
    if (box.shape) {
      total.nodes = sum(total.nodes, box.shape.nodes);
      total.bytes = sum(total.bytes, box.shape.bytes);
      this.#addSlots(box.shape, box.cursor, level, total);
    } else {
      const keys = new Set();
      this.values.each(box, (key, c, slot, at) => {
        if (key !== undefined) {
          distinct(keys, key, at);
          total.bytes = sum(total.bytes, key.length + 4);
        }
        this.#add(c, slot, level, total);
      });
    }
    this.#nesting--;
  }

  /** The values that a record writes. Constants and nested objects were counted with the shape. */
  #addSlots(shape, c, level, total) {
    if (shape.width === 0) return;
    for (const slot of shape.slots) {
      if (slot.kind < NESTED) this.#add(c, slot, level, total);
      else if (slot.kind === NESTED) this.#addSlots(slot.shape, c, level + 1, total);
    }
  }
}

/** §4.5: adds a key, which must be new. */
function distinct(keys, key, at) {
  if (keys.size === keys.add(key).size) fail('VAL-DUPKEY', at, `key ${JSON.stringify(key)} again`);
}
