// §4 values, §5.4–5.6 and §5.9 their tables, §6 shapes and records, §9 depth and budgets.
import { ARRAY, BIN, BOOL, Cursor, EXT, FLOAT, INT, MAP, NIL, STR, integerAt } from './cursor.js';
import { fail } from './errors.js';

export const PLAIN = 0, INTEGER = 1, NESTED = 2, CONSTANT = 3;
const SATURATED = Number.MAX_SAFE_INTEGER;
const sum = (a, b) => Math.min(a + b, SATURATED);

/** §5.4–5.6: an array of which single items can be found. */
class Element {
  constructor(file, number, tableNumber) {
    this.file = file;
    this.part = file.parts.get(number);
    this.table = file.parts.get(tableNumber);
    const cursor = new Cursor(file.bytes, this.part.offset, this.part.end);
    if (cursor.token() !== ARRAY) fail('PAY-FORM', cursor.start, 'expected an array');
    this.count = cursor.value;
    this.first = cursor.pos;
    this.shift = this.table ? this.table.stride : 4;
    this.marks = null; // where every 2^shift-th item begins, if that was found by stepping
  }

  /** A cursor at item `i`, which must be below `count`. */
  at(i) {
    const useTable = this.table && !this.marks;
    const mark = Math.floor(i / 2 ** this.shift);
    const cursor = new Cursor(this.file.bytes, useTable ? this.entry(mark) : (this.marks ?? this.#step())[mark], this.part.end);
    for (let left = i - mark * 2 ** this.shift; left > 0; left--) cursor.skip();
    return cursor;
  }

  /** Entry `j` of the offset table, §5.9. */
  entry(j) {
    const { file, table } = this, expected = Math.ceil(this.count / 2 ** table.stride) * file.width;
    if (table.length !== expected) fail('PRT-LENGTH', table.entry, `${table.length} bytes of offsets, ${expected} expected`);
    const at = table.offset + j * file.width, offset = file.wide(at);
    if (offset < this.first || offset >= this.part.end) fail('IDX-RANGE', at, `offset ${offset} is outside of its element`);
    return offset;
  }

  /** Calls `visit(i, cursor)` for all items in order, without the table; it must read the item. Returns where the last one ends. */
  walk(visit) {
    const cursor = new Cursor(this.file.bytes, this.first, this.part.end), { shift } = this;
    this.shift = 0;
    this.marks = [];
    try {
      for (let i = 0; i < this.count; i++) {
        this.marks.push(cursor.pos);
        visit(i, cursor);
      }
    } catch (error) {
      Object.assign(this, { shift, marks: null }); // half of the marks would be worse than none
      throw error;
    }
    return cursor.pos;
  }

  #step() {
    this.walk((_, cursor) => cursor.skip());
    this.marks = this.marks.filter((_, i) => i % 16 === 0);
    this.shift = 4;
    return this.marks;
  }
}

/** A list or an object that has been entered: its items or entries are read from `cursor`. */
export class Container {
  /** @param {boolean} isObject @param {number} at where it begins, or the record or reference that it comes from */
  constructor(isObject, count, cursor, at, shape = null) {
    this.isObject = isObject;
    this.count = count;
    this.cursor = cursor;
    this.at = at;
    this.shape = shape;
    this.shared = -1; // its id, if it was reached through a reference
  }
}

/** Reads values. A position is a cursor and, inside of records, the slot that the next value belongs to. */
export class Values {
  #elements = [];
  #text = [];
  #shapes = [];
  #measures = [];
  #nesting = 0;

  /** @param {import('./file.js').File} file */
  constructor(file) {
    this.file = file;
    this.bytes = file.bytes;
    this.limits = file.limits;
    this.plain = file.header.profile === 'plain';
    this.kind = NIL; // of the scalar that `read` returned last
  }

  get strings() { return (this.#elements[1] ??= new Element(this.file, 1, 16)); }
  get shapes() { return (this.#elements[2] ??= new Element(this.file, 2, 17)); }
  get shared() { return (this.#elements[3] ??= new Element(this.file, 3, 18)); }

  /** The document, or the value at an offset of the root part. */
  cursor(offset = this.file.parts.get(4).offset) {
    return new Cursor(this.bytes, offset, this.file.parts.get(4).end, this.plain ? 0 : this.shared.count);
  }

  /** Reads one value: a scalar as null, boolean, number, BigInt or string, with `kind` set; or a Container to go through. */
  read(c, slot) {
    if (slot && slot.kind === NESTED) return new Container(true, slot.shape.slots.length, c, c.pos, slot.shape);
    if (slot && slot.kind === CONSTANT) return this.read(new Cursor(this.bytes, slot.offset, this.shapes.part.end));
    const kind = c.token(), at = c.start;
    this.kind = kind;
    switch (kind) {
      case NIL: case BOOL: return c.value;
      case FLOAT:
        if (!Number.isFinite(c.value)) fail('NUM-NONFINITE', at, `float ${c.value}`);
        return c.value;
      case STR: return this.#string(c);
      case INT:
        if (this.plain || (slot && slot.kind === INTEGER)) return c.value;
        if (c.value < 0) return this.#reference(-1 - Number(c.value), at, c.bound);
        this.kind = STR;
        return this.string(c.value, at);
      case EXT:
        this.kind = INT;
        return this.#integer(c, at);
      case ARRAY: return this.plain ? new Container(false, c.value, c, at) : this.#array(c, at);
      case MAP: if (this.plain) return new Container(true, c.value, c, at);
    }
    return fail('MSG-TYPE', at, kind === MAP ? 'a map is no value here' : 'a bin is no value');
  }

  /** Calls `visit(key, cursor, slot, keyOffset)` for each entry or item; it must read or `pass` the value, and stops the walk with `true`. */
  each(box, visit) {
    const c = box.cursor;
    if (box.shape) {
      for (const slot of box.shape.slots) if (visit(slot.key, c, slot, c.pos)) return;
    } else {
      for (let i = 0; i < box.count; i++) {
        const at = c.pos;
        if (visit(box.isObject ? this.key(c) : undefined, c, undefined, at)) return;
      }
    }
  }

  /** Steps over the value at a position. */
  pass(c, slot) {
    if (!slot || slot.kind < NESTED) c.skip();
    else if (slot.kind === NESTED) for (let i = 0; i < slot.shape.width; i++) c.skip();
  }

  /** The key of an entry, §4.5. */
  key(c) {
    const kind = c.token(), at = c.start;
    if (kind === STR) {
      if (c.size > this.limits.key) fail('LIM-STRING', at, `key of ${c.size} bytes`);
      return c.text();
    }
    if (kind !== INT || c.value < 0 || this.plain) fail('MSG-TYPE', at, 'a key is not a string');
    const key = this.string(c.value, at);
    if (key.length * 3 > this.limits.key && new TextEncoder().encode(key).length > this.limits.key) fail('LIM-STRING', at, 'key too long');
    return key;
  }

  /** String `id` of the table, §5.4; `at` is the offset of the reference. */
  string(id, at) {
    if (id >= this.strings.count) fail('STR-RANGE', at, `string ${id} of ${this.strings.count}`);
    return (this.#text[id] ??= this.#tableString(this.strings.at(Number(id))));
  }

  #tableString(c) {
    if (c.token() !== STR) fail('MSG-TYPE', c.start, 'not a string');
    return this.#string(c);
  }

  #string(c) {
    if (c.size > this.limits.string) fail('LIM-STRING', c.start, `string of ${c.size} bytes`);
    return c.text();
  }

  /** §4.3 */
  #integer(c, at) {
    const { body, size, value: type } = c;
    if (this.plain || (type !== 1 && type !== 2) || size > 8 || this.bytes.u8[at] > 0xd7 || this.bytes.u8[at] < 0xd4) {
      fail('MSG-EXT', at, `extension type ${type} of ${size} bytes`);
    }
    this.bytes.touch(body, body + size);
    const value = integerAt(this.bytes.view, body, size, type === 2);
    if (type === 2 && value >= 0) fail('NUM-FORM', at, `${value} in the negative form`);
    const half = size * 4; // the next smaller width has this many bits
    if (size > 1 && (type === 1 ? value < 2 ** half : value >= -(2 ** (half - 1)))) this.bytes.noteLonger(at);
    return value;
  }

  /** §4.4 */
  #reference(id, at, bound) {
    if (id >= bound) fail('SHR-RANGE', at, `shared value ${id}, ${bound} may be used here`);
    const c = this.shared.at(id);
    c.bound = id;
    if (c.token() !== ARRAY) fail('VAL-FORM', c.start, 'a shared value is not a list or an object');
    const box = this.#array(c, c.start);
    box.shared = id;
    box.at = at;
    return box;
  }

  /** §4.5 and §6.2, after the header. */
  #array(c, at) {
    const items = c.value - 1;
    if (items < 0) return new Container(false, 0, c, at);
    const kind = c.token();
    if (kind === NIL) return new Container(false, items, c, at);
    if (kind === BOOL && c.value === false && items % 2 === 0) return new Container(true, items / 2, c, at);
    if (kind !== INT || c.value < 0) fail('VAL-FORM', at, 'an array is not a list, an object or a record');
    if (c.value >= this.shapes.count) fail('SHP-RANGE', c.start, `shape ${c.value} of ${this.shapes.count}`);
    const shape = this.shape(Number(c.value));
    if (shape.width !== items) fail('SHP-ARITY', at, `${items} values for shape ${c.value} of width ${shape.width}`);
    return new Container(true, shape.slots.length, c, at, shape);
  }

  /** §6.1: shape `id`; `nodes`, `bytes` and `depth` are those of its constants and nested objects together. */
  shape(id) {
    if (this.#shapes[id]) return this.#shapes[id];
    this.#ascend(id, (lower) => this.shape(lower)); // a long chain of nested shapes must not be a deep recursion
    const c = this.shapes.at(id), shape = { slots: [], width: 0, nodes: 0, bytes: 0, depth: 0 };
    this.#nesting++;
    if (c.token() !== ARRAY) fail('SHP-FORM', c.start, 'a shape is not an array');
    for (let left = c.value; left > 0; left--) {
      const slot = this.#slot(c, id);
      shape.slots.push(slot);
      shape.bytes = sum(shape.bytes, slot.key.length + 4);
      if (slot.kind < NESTED) shape.width = sum(shape.width, 1);
      if (slot.kind === CONSTANT) shape.nodes = sum(shape.nodes, 1);
      if (slot.kind === NESTED) {
        shape.width = sum(shape.width, slot.shape.width);
        shape.nodes = sum(shape.nodes, slot.shape.nodes + 1);
        shape.bytes = sum(shape.bytes, slot.shape.bytes + 2);
        shape.depth = Math.max(shape.depth, slot.shape.depth + 1);
      }
    }
    this.#nesting--;
    return (this.#shapes[id] = shape);
  }

  #slot(c, id) {
    const at = c.pos, kind = c.token();
    if (kind === STR || (kind === INT && c.value >= 0)) {
      c.pos = at;
      return { kind: PLAIN, key: this.key(c), keyAt: at };
    }
    const length = c.value;
    if (kind !== ARRAY || length < 1 || length > 3) fail('SHP-FORM', at, 'not a slot');
    const keyAt = c.pos, keyKind = c.token();
    if (keyKind !== STR && (keyKind !== INT || c.value < 0)) fail('SHP-FORM', at, 'a slot without a key');
    c.pos = keyAt;
    const key = this.key(c);
    if (length === 1) return { kind: INTEGER, key, keyAt };
    const second = c.token();
    if (length === 2) {
      if (second !== INT) fail('SHP-FORM', at, 'a nested slot without a shape');
      if (c.value < 0 || c.value >= id) fail('SHP-RANGE', c.start, `shape ${c.value} in shape ${id}`);
      return { kind: NESTED, key, keyAt, shape: this.shape(Number(c.value)) };
    }
    if (second !== NIL) fail('SHP-FORM', at, 'not a slot');
    const offset = c.pos;
    const constant = c.token();
    if (constant >= ARRAY || constant === BIN || (constant === INT && c.value < 0)) fail('VAL-FORM', offset, 'a constant is not a scalar');
    c.pos = offset;
    this.read(c);
    return { kind: CONSTANT, key, keyAt, offset };
  }

  /** Before the recursion for `id` gets too deep, visits all lower ids from the bottom up. */
  #ascend(id, visit) {
    if (this.#nesting <= this.limits.depth) return;
    const nesting = this.#nesting;
    this.#nesting = -Infinity;
    try {
      for (let lower = 0; lower < id; lower++) visit(lower);
    } finally {
      this.#nesting = nesting;
    }
  }

  /** §9: how far a value expands, in nodes, bytes of text and levels, with all its forms checked; each shared value once. */
  measure(c, slot) {
    const total = { nodes: 0, bytes: 0, depth: 0 };
    this.#nesting = 0;
    this.#add(c, slot, 0, total);
    return total;
  }

  #add(c, slot, level, total) {
    const value = this.read(c, slot);
    total.nodes = sum(total.nodes, 1);
    if (!(value instanceof Container)) {
      total.bytes = sum(total.bytes, this.kind === STR ? value.length + 3 : this.kind === FLOAT || this.kind === INT ? 12 : 5);
      return;
    }
    const inner = value.shared < 0 ? null : this.measureShared(value.shared);
    const deepest = level + (inner ? inner.depth : 1 + (value.shape ? value.shape.depth : 0));
    if (deepest > this.limits.depth) fail('LIM-DEPTH', value.at, `${deepest} levels`);
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
      this.each(box, (key, c, slot, at) => {
        if (key !== undefined) {
          if (keys.size === keys.add(key).size) fail('VAL-DUPKEY', at, `key ${JSON.stringify(key)} again`);
          total.bytes = sum(total.bytes, key.length + 4);
        }
        this.#add(c, slot, level, total);
      });
    }
    this.#nesting--;
  }

  /** What a record writes; constants and nested objects were counted with the shape. */
  #addSlots(shape, c, level, total) {
    if (shape.width === 0) return;
    for (const slot of shape.slots) {
      if (slot.kind < NESTED) this.#add(c, slot, level, total);
      else if (slot.kind === NESTED) this.#addSlots(slot.shape, c, level + 1, total);
    }
  }

  /** What shared value `id` expands to. */
  measureShared(id) {
    if (this.#measures[id]) return this.#measures[id];
    this.#ascend(id, (lower) => this.measureShared(lower));
    const total = { nodes: 1, bytes: 0, depth: 1 };
    const c = this.shared.at(id);
    c.bound = id;
    if (c.token() !== ARRAY) fail('VAL-FORM', c.start, 'a shared value is not a list or an object');
    const box = this.#array(c, c.start);
    if (box.shape) total.depth += box.shape.depth;
    if (total.depth > this.limits.depth) fail('LIM-DEPTH', box.at, `${total.depth} levels`);
    this.#addItems(box, 1, total);
    total.end = c.pos;
    return (this.#measures[id] = total);
  }

  /** §10.1 decode: reads strings, shapes, shared values and root, each once. Returns the measure of the root, and where the four values end. */
  decode() {
    for (const number of [1, 2, 3, 4]) this.bytes.load(this.file.parts.get(number).offset, this.file.parts.get(number).end);
    this.#nesting = 0;
    const ends = [
      this.strings.walk((id, c) => { this.#text[id] = this.#tableString(c); }),
      this.shapes.walk((id, c) => {
        const keys = new Set();
        for (const slot of this.shape(id).slots) if (keys.size === keys.add(slot.key).size) fail('VAL-DUPKEY', slot.keyAt, `key ${JSON.stringify(slot.key)} again`);
        c.skip();
      }),
      this.shared.walk((id, c) => { c.pos = this.measureShared(id).end; }),
    ];
    const root = this.cursor(), measure = this.measure(root);
    return { measure, ends: [...ends, root.pos] };
  }
}
