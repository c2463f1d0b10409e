// Output of values: JavaScript values, JSON text (§4.1), and the canonical value stream (§4.7).
import { FLOAT, INT, STR } from './cursor.js';
import { Container } from './values.js';

const ENCODER = new TextEncoder();
const PROTOTYPE = { object: Object.prototype, null: null };
const DATA = { writable: true, enumerable: true, configurable: true }; // as an assignment makes it

/** JavaScript values. `options` are those of `toJS`. */
export function build(values, c, slot, options) {
  const bigint = options.bigint ?? 'auto', objects = options.objects ?? 'object';
  const aliases = options.shared === 'alias' ? new Map() : null;
  const visit = (cursor, in_) => {
    const value = values.read(cursor, in_);
    if (!(value instanceof Container)) {
      if (values.kind !== INT || bigint === 'auto') return value;
      return bigint === 'always' ? BigInt(value) : Number(value);
    }
    const { shared } = value;
    if (aliases?.has(shared)) return aliases.get(shared);
    const made = !value.isObject ? [] : objects === 'map' ? new Map() : Object.create(PROTOTYPE[objects]);
    values.each(value, (key, inner, innerSlot) => {
      const item = visit(inner, innerSlot);
      if (!value.isObject) made.push(item);
      else if (objects === 'map') made.set(key, item);
      else if (key === '__proto__') Object.defineProperty(made, key, { ...DATA, value: item });
      else made[key] = item;
    });
    if (aliases && shared >= 0) aliases.set(shared, made);
    return made;
  };
  return visit(c, slot);
}

/** JSON text, in pieces of some kilobytes; `indent` as in JSON.stringify. */
export function print(values, c, slot, indent, write) {
  const unit = typeof indent === 'number' ? ' '.repeat(indent) : indent ?? '', colon = unit ? ': ' : ':';
  let out = '';
  const visit = (cursor, in_, line) => {
    const value = values.read(cursor, in_);
    if (!(value instanceof Container)) {
      out += scalarText(value, values.kind);
    } else {
      const inside = unit && line + unit;
      let separator = inside;
      out += value.isObject ? '{' : '[';
      values.each(value, (key, inner, innerSlot) => {
        out += separator;
        separator = `,${inside}`;
        if (key !== undefined) out += JSON.stringify(key) + colon;
        visit(inner, innerSlot, inside);
      });
      out += (value.count ? unit && line : '') + (value.isObject ? '}' : ']');
    }
    if (out.length > 65536) {
      write(out);
      out = '';
    }
  };
  visit(c, slot, '\n');
  write(out);
}

/** Text of a float, which is recognisable as one: 1 is printed as 1.0. */
function scalarText(value, kind) {
  if (kind === STR) return JSON.stringify(value);
  if (kind !== FLOAT) return String(value);
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** §4.7: the value in profile `plain`, in the shortest forms. */
export function canonical(values, c, slot, write) {
  const buffer = new Uint8Array(65536), view = new DataView(buffer.buffer);
  let used = 0;
  const flush = () => {
    write(buffer.subarray(0, used));
    used = 0;
  };
  const put = (first, width = 0, value = 0) => {
    buffer[used++] = first;
    if (width === 8) view.setBigUint64(used, BigInt.asUintN(64, BigInt(value)));
    else for (let i = 0; i < width; i++) buffer[used + i] = value >> (8 * (width - 1 - i));
    used += width;
  };
  const header = (n, fix, least, forms) => { // the shortest of: fix form, one, two, four and eight bytes
    const form = n < 256 && forms[0] ? 0 : n < 65536 ? 1 : n < 2 ** 32 ? 2 : 3;
    if (n < least) put(fix + n);
    else put(forms[form], 2 ** form, n);
  };
  const text = (value) => {
    const bytes = ENCODER.encode(value);
    header(bytes.length, 0xa0, 32, [0xd9, 0xda, 0xdb]);
    if (used + bytes.length > buffer.length) flush();
    if (bytes.length > buffer.length) return write(bytes);
    buffer.set(bytes, used);
    used += bytes.length;
  };
  const integer = (value) => {
    const form = value >= -128 ? 0 : value >= -32768 ? 1 : value >= -2147483648 ? 2 : 3;
    if (value >= 0) header(value, 0, 128, [0xcc, 0xcd, 0xce, 0xcf]);
    else if (value >= -32) put(256 + value);
    else put(0xd0 + form, 2 ** form, value);
  };
  const visit = (cursor, in_) => {
    if (used > buffer.length - 64) flush();
    const value = values.read(cursor, in_);
    if (value instanceof Container) {
      if (value.isObject) header(value.count, 0x80, 16, [0, 0xde, 0xdf]);
      else header(value.count, 0x90, 16, [0, 0xdc, 0xdd]);
      values.each(value, (key, inner, innerSlot) => {
        if (used > buffer.length - 64) flush();
        if (key !== undefined) text(key);
        visit(inner, innerSlot);
      });
    } else if (values.kind === STR) text(value);
    else if (values.kind === INT) integer(value);
    else if (values.kind === FLOAT) {
      put(0xcb);
      view.setFloat64(used, value);
      used += 8;
    } else put(value === null ? 0xc0 : value ? 0xc3 : 0xc2);
  };
  visit(c, slot);
  flush();
}
