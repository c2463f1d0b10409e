// Makes files for the tests: elements as bytes in, a file with directory, tables and checksums out.
import { Sha256, crc32 } from '../src/hashes.js';

/**
 * msgpack in the shortest forms, for values that the tests write by hand: arrays, text, integers as
 * themselves, null, booleans, bytes.
 */
export function pack(value) {
  const out = [];
  const head = (n, fix, least, forms) => {
    if (n < least) out.push(fix + n);
    else if (n < 256 && forms[0]) out.push(forms[0], n);
    else if (n < 65536) out.push(forms[1], n >> 8, n & 255);
    else out.push(forms[2], n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255);
  };
  const put = (item) => {
    if (item === null) out.push(0xc0);
    else if (typeof item === 'boolean') out.push(item ? 0xc3 : 0xc2);
    else if (typeof item === 'number' && item >= 0) head(item, 0, 128, [0xcc, 0xcd, 0xce]);
    else if (typeof item === 'number') out.push(...(item >= -32 ? [256 + item] : item >= -128 ? [0xd0, item & 255] : item >= -32768 ? [0xd1, (item >> 8) & 255, item & 255] : [0xd2, (item >> 24) & 255, (item >> 16) & 255, (item >> 8) & 255, item & 255]));
    else if (typeof item === 'string') {
      const bytes = new TextEncoder().encode(item);
      head(bytes.length, 0xa0, 32, [0xd9, 0xda, 0xdb]);
      for (const byte of bytes) out.push(byte);
    } else if (Array.isArray(item)) {
      head(item.length, 0x90, 16, [0, 0xdc, 0xdd]);
      item.forEach(put);
    } else if (item instanceof Map) {
      head(item.size, 0x80, 16, [0, 0xde, 0xdf]);
      for (const [key, inner] of item) put(key), put(inner);
    } else if (item instanceof Raw) for (const byte of item.bytes) out.push(byte);
    else head(item.length, 0, 0, [0xc4, 0xc5, 0xc6]), item.forEach((byte) => out.push(byte));
  };
  put(value);
  return Uint8Array.from(out);
}

/** Bytes that appear unchanged in a packed value. */
export class Raw {
  constructor(...bytes) { this.bytes = bytes.flat(); }
}

/** An integer of the document from 0 to 2^32 − 1, §4.3. */
export const int = (n) => (n < 256 ? new Raw(0xd4, 1, n) : n < 65536 ? new Raw(0xd5, 1, n >> 8, n & 255) : new Raw(0xd6, 1, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255));

/** A value of the document without ids: objects and lists in their general forms. */
export function plainly(value) {
  if (Array.isArray(value)) return [null, ...value.map(plainly)];
  if (typeof value === 'number') return Number.isInteger(value) ? int(value) : new Raw(0xcb, ...new Uint8Array(new Float64Array([value]).buffer).reverse());
  return value !== null && typeof value === 'object' ? [false, ...Object.entries(value).flatMap(([key, inner]) => [key, plainly(inner)])] : value;
}

/**
 * A file. `elements` are the four values packed or as `pack` accepts them. `tables(number)` returns
 * the bytes of tables, which may depend on `at`, the offsets of the elements. The root is required;
 * a block table is made with `blocks`, the binary
 * logarithm of the block size, or `true`.
 */
export function assemble({ strings = [], shapes = [], shared = [], root, header = {}, tables = () => ({}), blocks = false, wide = false }) {
  const fields = new Map(Object.entries({ 'document-type': 'document', version: 1, profile: 'full', producer: 'test', values: 0, depth: 0, landmarks: 0, digest: new Uint8Array(32), ...header }));
  const chunks = [new TextEncoder().encode('application/vnd.coconut+msgpack; document-type=document; version=1\n\n'), Uint8Array.of(0x97, 0xc4, 8, 0x89, 0x43, 0x43, 13, 10, 26, 10, 0), pack(fields)];
  let size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const add = (bytes) => {
    chunks.push(bytes);
    size += bytes.length;
    return size - bytes.length;
  };
  const align = () => add(new Uint8Array((8 - (size % 8)) % 8));
  const parts = [strings, shapes, shared, root].map((element, i) => {
    const bytes = element instanceof Uint8Array ? element : pack(element);
    return { number: i + 1, flags: 5, stride: 0, offset: add(bytes), length: bytes.length };
  });
  const bin = add(Uint8Array.of(0xc6, 0, 0, 0, 0)); // not the shortest form in a small file, which `verify` would report
  for (const [number, made] of Object.entries(tables(parts))) {
    align();
    const bytes = made.bytes ?? made;
    parts.push({ number: Number(number), flags: 0, stride: made.stride ?? 0, offset: add(bytes), length: bytes.length });
  }
  align();
  const content = size, entry = wide ? 20 : 12;
  const power = blocks === true ? 12 : Number(blocks), block = 2 ** power;
  const table = blocks ? Math.ceil(content / block) * 4 : 0, root_ = Math.ceil(table / block) * 4;
  const sumFrom = blocks ? content + table : 0;
  if (blocks) parts.push({ number: 64, flags: 0, stride: 0, offset: content, length: table });
  add(new Uint8Array(table + root_));
  align();
  const directory = add(new Uint8Array(parts.length * entry + 28));
  const file = new Uint8Array(size), view = new DataView(file.buffer);
  let at = 0;
  for (const chunk of chunks) file.set(chunk, at), (at += chunk.length);
  view.setUint32(bin + 1, size - bin - 5);
  parts.forEach((part, i) => {
    const e = directory + i * entry;
    file.set([part.number, part.flags, part.stride, 0], e);
    view.setUint32(e + 4, part.offset, true);
    view.setUint32(e + (wide ? 12 : 8), part.length, true);
  });
  const trailer = size - 28;
  view.setUint32(trailer, size, true);
  view.setUint32(trailer + 8, sumFrom, true);
  view.setUint16(trailer + 16, parts.length, true);
  file[trailer + 18] = wide ? 1 : 0;
  file[trailer + 19] = power;
  file.set([0x43, 0x4f, 0x43, 0x4f], trailer + 20);
  return seal(file);
}

/** Makes all checksums of a file match, unless its directory makes no sense. */
export function seal(file) {
  const view = new DataView(file.buffer), size = file.length, sumFrom = view.getUint32(size - 20, true);
  if (sumFrom) {
    const count = view.getUint16(size - 12, true), wide = file[size - 10], last = size - 28 - (wide ? 20 : 12);
    const content = view.getUint32(last + 4, true), block = 2 ** Math.min(Math.max(file[size - 9], 12), 20);
    const fits = content + Math.ceil(content / block) * 4 <= sumFrom && sumFrom + Math.ceil((sumFrom - content) / block) * 4 <= size - 28;
    if (count && file[last] === 64 && fits) {
      for (let k = 0; k * block < content; k++) view.setUint32(content + k * 4, crc32(file, k * block, Math.min((k + 1) * block, content)), true);
      for (let k = 0; content + k * block < sumFrom; k++) view.setUint32(sumFrom + k * 4, crc32(file, content + k * block, Math.min(content + (k + 1) * block, sumFrom)), true);
    }
  }
  view.setUint32(size - 4, crc32(file, Math.min(sumFrom, size - 4), size - 4), true);
  return file;
}

/** SHA-256 as bytes. */
export const sha256 = (bytes) => Uint8Array.from(new Sha256().update(bytes).hex().match(/../g), (pair) => parseInt(pair, 16));
