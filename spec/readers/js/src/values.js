// §4 values, §5.4–5.6 and §5.9 their tables, §6 shapes and records.
import { ARRAY, BIN, BOOL, Cursor, EXT, FLOAT, INT, MAP, NIL, STR, integerAt } from './cursor.js';
import { fail, need } from './errors.js';

export const PLAIN = 0, INTEGER = 1, NESTED = 2, CONSTANT = 3;
export const sum = (a, b) => Math.min(a + b, Number.MAX_SAFE_INTEGER); // saturates, §6.2

/** §5.4–5.6: an array whose items can be found one by one. */
class Element {
  constructor(file, number, tableNumber) {
    Object.assign(this, { file, part: file.parts.get(number), table: file.parts.get(tableNumber) });
    const cursor = new Cursor(file.bytes, this.part.offset, this.part.end);
    need(cursor.token() === ARRAY, 'PAY-FORM', cursor.start, 'expected an array');
    this.count = cursor.value;
    this.first = cursor.pos;
    this.starts = []; // of the items, as far as they were walked over
  }

  /** A cursor at item `i`, which must be below `count`. */
  at(i) {
    if (!this.table && i >= this.starts.length) this.walk((_, cursor) => cursor.skip());
    const isKnown = i < this.starts.length, stride = isKnown ? 1 : this.table.stride;
    const start = isKnown ? this.starts[i] : this.entry(Math.floor(i / stride));
    const cursor = new Cursor(this.file.bytes, start, this.part.end);
    for (let left = i % stride; left > 0; left--) cursor.skip();
    return cursor;
  }

  /** Entry `j` of the offset table, §5.9. */
  entry(j) {
    const { file, table } = this, expected = Math.ceil(this.count / table.stride) * file.width;
    need(table.length === expected, 'PRT-LENGTH', table.entry, `${table.length} bytes, ${expected} expected`);
    const at = table.offset + j * file.width, offset = file.wide(at), { first, part } = this;
    need(offset >= first && offset < part.end, 'IDX-RANGE', at, `offset ${offset} is outside of its element`);
    return offset;
  }

  /**
   * Calls `visit(i, cursor)`, which must read the item, for each in order. Returns where the last
   * ends.
   */
  walk(visit) {
    const cursor = new Cursor(this.file.bytes, this.first, this.part.end);
    this.starts = [];
    for (let i = 0; i < this.count; i++) {
      this.starts.push(cursor.pos);
      visit(i, cursor);
    }
    return cursor.pos;
  }
}

/** A list or an object that has been entered: its items or entries are read from `cursor`. */
export class Container {
  /**
   * @param {boolean} isObject
   * @param {number} at its offset, or that of the record or reference that it comes from
   */
  constructor(isObject, count, cursor, at, shape = null) {
    this.isObject = isObject;
    this.count = count;
    this.cursor = cursor;
    this.at = at;
    this.shape = shape;
    this.shared = -1; // its id, if it was reached through a reference
  }
}

/** Reads values. A position is a cursor and, in a record, the slot of the next value. */
export class Values {
  #elements = [];
  #text = [];
  #shapes = [];
  #complete = 0; // lower shapes are known

  /** @param {import('./file.js').File} file */
  constructor(file) {
    Object.assign(this, { file, bytes: file.bytes, limits: file.limits });
    this.plain = file.fields.get('profile').value === 'plain';
    this.kind = NIL; // of the scalar that `read` returned last
  }

  get strings() { return (this.#elements[1] ??= new Element(this.file, 1, 16)); }
  get shapes() { return (this.#elements[2] ??= new Element(this.file, 2, 17)); }
  get shared() { return (this.#elements[3] ??= new Element(this.file, 3, 18)); }

  /** The document, or the value at an offset of the root part. */
  cursor(offset = this.file.root) {
    return new Cursor(this.bytes, offset, this.file.parts.get(4).end, this.plain ? 0 : this.shared.count);
  }

  /**
   * Reads a value: a scalar as null, boolean, number, BigInt or string, with `kind` set; or a
   * Container.
   */
  read(c, slot) {
    if (slot?.kind === NESTED) return new Container(true, slot.shape.slots.length, c, c.pos, slot.shape);
    if (slot?.kind === CONSTANT) return this.read(new Cursor(this.bytes, slot.offset, this.shapes.part.end));
    const kind = c.token(), at = c.start;
    this.kind = kind;
    switch (kind) {
      case NIL: case BOOL: return c.value;
      case FLOAT:
        need(Number.isFinite(c.value), 'NUM-NONFINITE', at, 'a float that is not finite');
        return c.value;
      case STR: return c.text(this.limits.string);
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
    return fail('MSG-TYPE', at, kind === MAP ? 'a map is not a value here' : 'a bin is not a value');
  }

  /**
   * Calls `visit(key, cursor, slot, at)`, which reads or `pass`es the value, for each until it
   * returns `true`.
   */
  each(box, visit) {
    const c = box.cursor;
    for (let i = 0; i < box.count; i++) {
      const at = c.pos, slot = box.shape?.slots[i];
      if (visit(slot ? slot.key : box.isObject ? this.key(c) : undefined, c, slot, at)) return;
    }
  }

  /** Skips the value at a position. */
  pass(c, slot) {
    if (!slot || slot.kind < NESTED) c.skip();
    else if (slot.kind === NESTED) for (let i = 0; i < slot.shape.width; i++) c.skip();
  }

  /** The key of an entry, §4.5. */
  key(c) {
    const kind = c.token(), at = c.start, most = this.limits.key;
    if (kind === STR) return c.text(most);
    need(kind === INT && c.value >= 0 && !this.plain, 'MSG-TYPE', at, 'a key is not a string');
    const key = this.string(c.value, at), size = () => new TextEncoder().encode(key).length;
    need(key.length * 3 <= most || size() <= most, 'LIM-STRING', at, 'a key that is too long');
    return key;
  }

  /** String `id` of the table, §5.4; `at` is the offset of the reference. */
  string(id, at) {
    if (id >= this.strings.count) fail('STR-RANGE', at, `string ${id} of ${this.strings.count}`);
    return this.#text[id] ?? this.tableString(id, this.strings.at(Number(id)));
  }

  /** The same, at its own place. */
  tableString(id, c) {
    need(c.token() === STR, 'MSG-TYPE', c.start, 'not a string');
    return (this.#text[id] = c.text(this.limits.string));
  }

  /** §4.3 */
  #integer(c, at) {
    const { body, size, value: type } = c, first = this.bytes.u8[at];
    const isKnown = !this.plain && (type === 1 || type === 2) && first >= 0xd4 && first <= 0xd7;
    if (!isKnown) fail('MSG-EXT', at, `extension type ${type} of ${size} bytes`);
    this.bytes.touch(body, body + size);
    const value = integerAt(this.bytes.view, body, size, type === 2);
    if (type === 2 && value >= 0) fail('NUM-FORM', at, `${value} in the negative form`);
    const half = size * 4; // the next smaller width has this many bits
    const isLonger = size > 1 && (type === 1 ? value < 2 ** half : value >= -(2 ** (half - 1)));
    if (isLonger) this.bytes.longer = Math.min(this.bytes.longer, at);
    return value;
  }

  /** §4.4 */
  #reference(id, at, bound) {
    need(id < bound, 'SHR-RANGE', at, `shared value ${id}, ${bound} may be used here`);
    return Object.assign(this.sharedValue(id), { at });
  }

  /** Shared value `id`, entered at its own place. */
  sharedValue(id) {
    const c = this.shared.at(id);
    c.bound = id;
    need(c.token() === ARRAY, 'VAL-FORM', c.start, 'a shared value is not a list or an object');
    const box = this.#array(c, c.start);
    box.shared = id;
    return box;
  }

  /** §4.5 and §6.2, after the header. */
  #array(c, at) {
    const items = c.value - 1;
    if (items < 0) return new Container(false, 0, c, at);
    const kind = c.token();
    if (kind === NIL) return new Container(false, items, c, at);
    if (kind === BOOL && c.value === false && items % 2 === 0) return new Container(true, items / 2, c, at);
    need(kind === INT && c.value >= 0, 'VAL-FORM', at, 'an array is not a list, an object or a record');
    if (c.value >= this.shapes.count) fail('SHP-RANGE', c.start, `shape ${c.value} of ${this.shapes.count}`);
    const shape = this.shape(Number(c.value));
    if (shape.width !== items) fail('SHP-ARITY', at, `${items} values, the shape has ${shape.width}`);
    return new Container(true, shape.slots.length, c, at, shape);
  }

  /**
   * §6.1: shape `id`. `nodes`, `bytes` and `depth` are those of its constants and nested objects.
   * With `visit` it is read again, and `visit(key, at)` is called for each key before the rest of
   * the slot is read.
   */
  shape(id, nesting = 0, visit = undefined) {
    if (this.#shapes[id] && !visit) return this.#shapes[id];
    if (nesting > this.limits.depth) { // a long chain of nested shapes must not be a deep recursion
      for (; this.#complete < id; this.#complete++) this.shape(this.#complete, nesting);
    }
    const c = this.shapes.at(id), shape = { slots: [], width: 0, nodes: 0, bytes: 0, depth: 0 };
    need(c.token() === ARRAY, 'SHP-FORM', c.start, 'a shape is not an array');
    for (let left = c.value; left > 0; left--) {
      const slot = this.#slot(c, id, nesting, visit), inner = slot.shape;
      shape.slots.push(slot);
      shape.width = sum(shape.width, inner ? inner.width : slot.kind === CONSTANT ? 0 : 1);
      shape.nodes = sum(shape.nodes, inner ? inner.nodes + 1 : slot.kind === CONSTANT ? 1 : 0);
      shape.bytes = sum(shape.bytes, slot.key.length + 4 + (inner ? inner.bytes + 2 : 0));
      shape.depth = Math.max(shape.depth, inner ? inner.depth + 1 : 0);
    }
    return (this.#shapes[id] = shape);
  }

  #slot(c, id, nesting, visit) {
    const at = c.pos;
    let kind = c.token(), length = 0;
    if (kind === ARRAY && c.value >= 1 && c.value <= 3) {
      length = c.value;
      kind = c.token();
    }
    need(kind === STR || (kind === INT && c.value >= 0), 'SHP-FORM', at, 'not a slot');
    const keyAt = (c.pos = c.start), key = this.key(c);
    visit?.(key, keyAt);
    if (length < 2) return { kind: length ? INTEGER : PLAIN, key };
    const second = c.token(), lower = c.value;
    if (length === 2) {
      need(second === INT && lower >= 0, 'SHP-FORM', at, 'a nested slot without a shape');
      need(lower < id, 'SHP-RANGE', c.start, `shape ${lower} in shape ${id}`);
      return { kind: NESTED, key, shape: this.shape(Number(lower), nesting + 1) };
    }
    need(second === NIL, 'SHP-FORM', at, 'not a slot');
    const offset = c.pos, third = c.token();
    const isScalar = third < ARRAY && third !== BIN && (third !== INT || c.value >= 0);
    need(isScalar, 'VAL-FORM', offset, 'a constant is not a scalar');
    c.pos = offset;
    this.read(c);
    return { kind: CONSTANT, key, offset };
  }
}
