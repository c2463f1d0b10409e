import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Sha256, crc32, sha256 } from '../src/hashes.js';
import { Index } from '../src/index.js';
import { Addresses, Keys, NONE } from '../src/keys.js';
import { Rule, references } from '../src/rule.js';
import { Walk } from '../src/walk.js';
import { AmbiguousKey, FormatError, openBytes, openFile } from '../src/node.js';
import { assemble, int, pack, plainly, Raw, seal } from './assemble.js';
import { outcome, readVectors } from './vectors.js';

const refused = (code, offset) => (error) => error instanceof FormatError && error.code === code && (offset === undefined || error.offset === offset);

/** A file with all tables of its index, or with some, and with digests of landmarks that are given. */
function indexed(file) {
  const walked = openBytes(assemble(file)), index = new Index(walked.file, walked.values);
  index.makeEdges();
  const made = [...index.tables].map(([number, { view }]) => [number, new Uint8Array(view.buffer)]).filter(([number]) => file.parts?.includes(number) ?? true);
  return assemble({ ...file, tables: () => Object.fromEntries(file.digests ? [...made, [37, file.digests]] : made) });
}

const resources = (count, size) => plainly({ resources: Object.fromEntries(Array.from({ length: count }, (_, i) => (
  [`urn:${i}`, { index: i, text: 'x'.repeat(size), needs: i ? [`urn:${i >> 1}`] : [] }]))) });
const RULE = { patterns: ['/resources/*'], edges: ['dependency=0/needs/*'] };

test('CRC-32 and SHA-256 are those of the standards', () => {
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
  assert.equal(crc32(new Uint8Array(0), 0, 0, 0xcbf43926), 0xcbf43926);
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const bytes = new Uint8Array(length).map((_, i) => i * 7);
    for (const stream of [new Sha256(), sha256()]) {
      const found = stream.update(bytes.subarray(0, length >> 1)).update(bytes.subarray(length >> 1)).hex();
      assert.equal(found, createHash('sha256').update(bytes).digest('hex'));
    }
  }
});

test('integers become BigInt where a number would round them, or as the option says', () => {
  const big = new Raw(0xd7, 1, 0, 32, 0, 0, 0, 0, 0, 1); // 2^53 + 1
  const document = openBytes(assemble({ root: [null, big, int(7), new Raw(0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0)] }));
  assert.deepEqual(document.toJS(), [9007199254740993n, 7, 1]);
  assert.deepEqual(document.toJS({ bigint: 'always' }), [9007199254740993n, 7n, 1]);
  assert.deepEqual(document.toJS({ bigint: 'number' }), [9007199254740992, 7, 1]);
  assert.equal(document.toJSON(), '[9007199254740993,7,1.0]');
});

test('strings and keys of text after an envelope have the limits of documents', () => {
  const envelope = 'application/vnd.coconut+json; document-type=document; version=1\n\n';
  const open = (text, limits) => openBytes(new TextEncoder().encode(envelope + text), { limits });
  const key = `{"${'\u00e9'.repeat(32768)}":[]}`, longer = key.replace('"', '"k');
  assert.equal(open(key).toJSON(), key);
  assert.throws(() => open(longer).toJSON(), refused('LIM-STRING', envelope.length + 1));
  const text = '["abc","abcd"]';
  assert.equal(open(text, { string: 4 }).toJSON(), text);
  assert.throws(() => open(text, { string: 3 }).toJSON(), refused('LIM-STRING', envelope.length + 7));
});

test('keys are data: __proto__ makes an own property, and Maps and JSON keep the order of digits', () => {
  const document = openBytes(assemble({ root: [false, 'b', int(1), '__proto__', [false, 'x', int(2)], '10', null, '9', true] }));
  const object = document.toJS();
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  assert.deepEqual(Object.keys(object), ['9', '10', 'b', '__proto__']);
  assert.deepEqual(Object.getOwnPropertyDescriptor(object, '__proto__').value, { x: 2 });
  assert.equal(Object.getPrototypeOf(document.toJS({ objects: 'null' })), null);
  assert.deepEqual([...document.toJS({ objects: 'map' }).keys()], ['b', '__proto__', '10', '9']);
  assert.equal(document.toJSON(), '{"b":1,"__proto__":{"x":2},"10":null,"9":true}');
});

test('shared values are copied, or aliased on request', () => {
  const document = openBytes(assemble({ shared: [[null, true]], root: [null, -1, -1] }));
  const copies = document.toJS(), aliases = document.toJS({ shared: 'alias' });
  assert.deepEqual(copies, [[true], [true]]);
  assert.notEqual(copies[0], copies[1]);
  assert.equal(aliases[0], aliases[1]);
});

test('JSON text is laid out as JSON.stringify does it', () => {
  const value = { a: [1, 2.5, 'é"\u2028\n'], b: {}, c: [], d: { e: [[null]] } };
  const document = openBytes(assemble({ root: plainly(value) }));
  for (const indent of [undefined, 0, 2, '\t']) assert.equal(document.toJSON(indent), JSON.stringify(value, null, indent));
});

test('pointers lead through records, nested slots, references and lists', () => {
  const document = openBytes(assemble({
    strings: ['line'], shapes: [[[0]], ['name', ['at', 0], ['kind', null, 'k']]], shared: [[1, 'n', 12]], root: [null, -1, [1, 'm/~', 13]],
  }));
  assert.equal(document.pointer('/0/at/line').toJS(), 12);
  assert.equal(document.pointer('/1/at').toJSON(), '{"line":13}');
  assert.equal(document.pointer('/1/name').kind, 'string');
  assert.equal(document.pointer('/1/kind').toJS(), 'k');
  assert.equal(document.pointer('/1/none'), undefined);
  for (const nowhere of ['/2', '/01', '/+1', '/ 1', '/-0']) assert.equal(document.pointer(nowhere), undefined);
  for (const none of ['0', 'x/0', '#/0']) assert.throws(() => document.pointer(none), TypeError);
  assert.equal(document.pointer(''), document);
});

test('a key with several landmarks is ambiguous, and all of them are listed', () => {
  const root = plainly({ a: [{ id: 'x', n: 1 }, { id: 'y', n: 2 }, { id: 'x', n: 3 }] });
  for (const make of [assemble, indexed]) {
    const document = openBytes(make({ root, header: { patterns: ['/a/*[id]'] } }));
    assert.throws(() => document.get('x'), (error) => error instanceof AmbiguousKey && error.matches.map((match) => match.pointer('/n').toJS()).join() === '1,3');
    assert.equal(document.get('y').toJSON(), '{"id":"y","n":2}');
    assert.equal(document.get('z'), undefined);
    assert.deepEqual([...document.keys()], ['x', 'y', 'x']);
    assert.throws(() => document.dependencies('z'), RangeError);
  }
});

test('tables and the walk give the same landmarks, children and edges', () => {
  const root = plainly({ modules: { m: { members: { f: { needs: ['m'] }, g: { needs: ['m:f', 'm', 'none'] } } }, n: { members: {} } } });
  const file = { root, header: { patterns: ['/modules/*', '/modules/*/members/*'], join: ':', edges: ['needs=1/needs/*'] } };
  for (const bytes of [assemble(file), indexed(file), indexed({ ...file, wide: true })]) {
    const document = openBytes(bytes);
    assert.deepEqual([...document.keys()], ['m', 'm:f', 'm:g', 'n']);
    assert.deepEqual([...document.landmarks()].map((landmark) => [landmark.class, landmark.parent?.key, landmark.ownKey]), [[0, undefined, 'm'], [1, 'm', 'f'], [1, 'm', 'g'], [0, undefined, 'n']]);
    assert.deepEqual(document.children().map(({ key }) => key), ['m', 'n']);
    assert.deepEqual(document.children('m').map(({ key }) => key), ['m:f', 'm:g']);
    assert.deepEqual(document.dependencies('m:g').map(({ landmark, kind }) => [landmark.key, kind]), [['m', 'needs'], ['m:f', 'needs']]);
    assert.deepEqual(document.dependents('m').map(({ landmark }) => landmark.key), ['m:f', 'm:g']);
  }
});

test('a lookup in a large file reads little of it, and what it reads is checked', () => {
  const bytes = indexed({ root: resources(4000, 900), header: RULE, blocks: true });
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'large');
  try {
    writeFileSync(path, bytes);
    const document = openFile(path);
    assert.equal(document.get('urn:1234').pointer('/index').toJS(), 1234);
    assert.deepEqual(document.dependencies('urn:1234').map(({ landmark }) => landmark.key), ['urn:617']);
    assert.ok(bytes.length > 3e6 && document.bytesRead() < 3e5, `${document.bytesRead()} of ${bytes.length} bytes`);
    document.close();

    const landmark = openBytes(bytes).get('urn:1234'), at = landmark.index.offset(landmark.ordinal) + 60;
    bytes[at] ^= 1;
    writeFileSync(path, bytes);
    const damaged = openFile(path);
    assert.equal(damaged.get('urn:3').pointer('/index').toJS(), 3);
    assert.throws(() => damaged.get('urn:1234').toJS(), refused('SUM-MISMATCH', at - (at % 4096)));
    assert.throws(() => damaged.verify(), refused('SUM-MISMATCH', at - (at % 4096)));
    damaged.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a number that crosses from one block into the next is read from both', () => {
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'blocks');
  const float = new Raw(0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 1), integer = new Raw(0xd7, 1, 0, 32, 0, 0, 0, 0, 0, 1);
  try {
    for (let length = 3860; length < 3880; length++) {
      const root = [null, 'x'.repeat(length), float, integer, 'z'.repeat(20000)];
      writeFileSync(path, assemble({ root, header: { filler: 'y'.repeat(4096) }, blocks: true }));
      const document = openFile(path);
      assert.equal(document.pointer('/1').toJS(), 1.5000000000000002);
      assert.equal(document.pointer('/2').toJS(), 9007199254740993n);
      document.close();
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('expansion is measured before anything is made', () => {
  const doubling = [[null], ...Array.from({ length: 200 }, (_, i) => [null, -1 - i, -1 - i])];
  const values = openBytes(assemble({ shared: doubling, root: -201 }));
  values.decode();
  assert.throws(() => values.toJS(), refused('LIM-NODES'));
  assert.throws(() => values.toJSON(), refused('LIM-NODES'));
  const shapes = [[], ...Array.from({ length: 200 }, (_, i) => [['a', i], ['b', i]])];
  const slots = openBytes(assemble({ shapes, root: [200] }));
  slots.decode();
  assert.throws(() => slots.toJS(), refused('LIM-NODES'));
  assert.equal(slots.pointer('/a/b/a').kind, 'object');
});

test('depth is refused without deep recursion', () => {
  const chain = Array.from({ length: 100000 }, (_, i) => (i ? [null, -i] : [null]));
  assert.throws(() => openBytes(assemble({ shared: chain, root: -100000 })).toJS(), refused('LIM-DEPTH'));
  const shapes = Array.from({ length: 50000 }, (_, i) => (i ? [['a', i - 1]] : []));
  assert.throws(() => openBytes(assemble({ shapes, root: [49999] })).toJS(), refused('LIM-DEPTH'));
  assert.equal(openBytes(assemble({ shapes, root: null })).toJS(), null);
  const arrays = new Uint8Array(200001).fill(0xc0);
  for (let i = 0; i < 100000; i++) arrays[2 * i] = 0x92;
  assert.throws(() => openBytes(assemble({ root: arrays })).toJS(), refused('LIM-DEPTH'));
  const nested = (levels) => (levels === 1 ? [null] : [null, nested(levels - 1)]);
  assert.equal(openBytes(assemble({ root: nested(512) })).toJSON(), '['.repeat(512) + ']'.repeat(512));
});

test('whole parts of a document that cannot be decoded can still be read', () => {
  const document = openBytes(assemble({ strings: ['a', 'b', new Raw(0xa1, 0xff), 'd'], root: [false, 0, 1, 3, 2] }));
  assert.throws(() => document.decode(), refused('STR-UTF8'));
  assert.equal(document.pointer('/a').toJS(), 'b');
  assert.throws(() => document.pointer('/d').toJS(), refused('STR-UTF8'));
});

test('a stride may be greater than any number of items', () => {
  const strings = ['a', 'b', 'c'], file = { strings, root: [null, 2, 1] };
  const bytes = assemble({ ...file, tables: ([{ offset }]) => ({ 16: { stride: 31, bytes: Uint8Array.of((offset + 1) & 255, offset >> 8, 0, 0) } }) });
  assert.equal(openBytes(bytes).pointer('/0').toJS(), 'c');
});

test('the header is read without deep recursion', () => {
  const nested = [];
  for (let i = 0; i < 4000; i++) nested.push(0x81, 0xa6, ...new TextEncoder().encode('source'));
  const header = (levels) => ({ y: new Raw(nested.concat(0xc0)), x: new Raw(new Array(levels).fill(0x91).concat(0xc0)) });
  assert.equal(openBytes(assemble({ root: null, header: header(30000) })).toJS(), null);
  assert.throws(() => openBytes(assemble({ root: null, header: header(100000) })), refused('LIM-HEADER'));
});

test('limits can be changed', () => {
  const bytes = assemble({ root: plainly([[[1]]]) });
  assert.throws(() => openBytes(bytes, { limits: { depth: 2 } }).toJS(), refused('LIM-DEPTH'));
  assert.throws(() => openBytes(bytes, { limits: { treeNodes: 3 } }).toJS(), refused('LIM-NODES'));
  assert.equal(openBytes(bytes, { limits: { treeNodes: 4 } }).toJSON(), '[[[1]]]');
});

test('full keys of all landmarks together are held to a limit', () => {
  const bytes = assemble({ root: plainly({ é: { x: 1 } }), header: { patterns: ['/*', '/*/*'], join: ':' } });
  assert.deepEqual([...openBytes(bytes, { limits: { keys: 6 } }).keys()], ['é', 'é:x']);
  assert.throws(() => openBytes(bytes, { limits: { keys: 5 } }).has('é'), refused('LIM-COUNT'));
});

test('keys may have 65,536 bytes and no more', () => {
  for (const make of [(key) => [false, key, null], (key) => [false, 'a', true, key, null]]) {
    assert.equal(Object.keys(openBytes(assemble({ root: make('é'.repeat(32768)) })).toJS()).at(-1).length, 32768);
    assert.throws(() => openBytes(assemble({ root: make('é'.repeat(32768) + 'a') })).toJSON(), refused('LIM-STRING'));
  }
  assert.throws(() => openBytes(assemble({ strings: ['a'.repeat(65537)], root: [false, 0, null] })).toJSON(), refused('LIM-STRING'));
});

const textOf = (list) => list.map((value) => ({ value, at: 0 }));
const list = (n, make) => Array.from({ length: n }, (_, i) => make(i));

test('rules may have 32 patterns, 32 edges and 64 written segments', () => {
  const open = (patterns, edges) => new Rule(textOf(patterns), undefined, textOf(edges));
  open(list(32, (i) => `/p${i}`), list(32, (i) => `e=0/e${i}`));
  assert.throws(() => open(list(33, (i) => `/p${i}`), []), refused('LMK-NEWER'));
  assert.throws(() => open(['/p'], list(33, (i) => `e=0/e${i}`)), refused('LMK-NEWER'));
  open(['/a'.repeat(40), '/a'.repeat(20)], ['e=0/a/b', 'e=1(/a)*/b']); // equal beginnings and groups count, too
  assert.throws(() => open(['/a'.repeat(40), '/a'.repeat(20)], ['e=0/a/b', 'e=1(/a)*/b/c']), refused('LMK-NEWER'));
});

test('a rule that is not understood keeps nothing but lookups from working', () => {
  const document = openBytes(assemble({ root: plainly({ a: 1 }), header: { patterns: ['/*', '/{future}'] } }));
  document.decode();
  assert.equal(document.toJSON(), '{"a":1}');
  for (const lookup of [() => document.get('a'), () => [...document.keys()], () => document.children('a')]) assert.throws(lookup, refused('LMK-NEWER'));
  const good = ['/a[b/c]', '/a[{b/c}x]', '/a[({b/c|json})x]', '/a[{b/c=d}]', '/a[b~/c]'.replace('~/', '~1')], edges = ['<x', '<<x', '<{', '<['];
  for (const text of good) new Rule(textOf([text]), '', []);
  for (const reading of edges) new Rule(textOf(['/a']), '', textOf([`e=0/b${reading}`]));
  for (const text of ['/a[b/]', '/a[/b]', '/a[b//c]', '/a[b/c{d}]', '/a[{b/}x]', '/a[{b=}]', '/a[b=c]']) assert.throws(() => new Rule(textOf([text]), '', []), refused('LMK-NEWER'), text);
  for (const reading of ['<', '<<', '<{x', '<[x', '<<{', '<x<y', '<x/y']) assert.throws(() => new Rule(textOf(['/a']), '', textOf([`e=0/b${reading}`])), refused('LMK-NEWER'), reading);
});

test('a reading says which parts of a string are references', () => {
  const read = (reading, text) => references(new Rule(textOf(['/a']), '', textOf([`e=0/b${reading}`])).edges[0], text);
  assert.deepEqual(read('', 'a::b::c'), ['a::b::c']);
  assert.deepEqual(read('<::', 'a::b::c'), ['a::b']);
  assert.deepEqual(read('<<::', 'a::b::c'), ['a']);
  assert.deepEqual(['<::', '<<::'].map((reading) => read(reading, 'a:b')), [['a:b'], ['a:b']]);
  assert.deepEqual(read('<{', 'x${a}${b.c}${!d}${}${.e}${f[0].g}$ {h}${i'), ['a', 'b', 'f']);
  assert.deepEqual(read('<{', '${${a}}${b}'), ['${a', 'b']);
});

test('addresses are full keys without instance keys, wherever pieces begin and end', () => {
  let random = 7;
  const next = (n) => ((random = (Math.imul(random, 48271) >>> 0) % 2147483647) % n);
  const stripped = (text) => text.replace(/\[(?:[0-9]+|"(?:[^"\\]|\\.)*")\]/g, '');
  for (let round = 0; round < 300; round++) {
    const texts = list(12, () => list(next(6), () => '[["]]\\01a'[next(9)]).join('')), parents = texts.map((_, i) => (i && next(4) ? next(i) : NONE));
    const full = new Keys((i) => parents[i], (i) => texts[i]), addresses = new Addresses(full, texts.length);
    const wanted = texts.map((_, i) => stripped(full.text(i)));
    for (const text of wanted) {
      assert.deepEqual(addresses.find(text).sort((a, b) => a - b), [...wanted.keys()].filter((i) => wanted[i] === text), JSON.stringify([texts, parents, text]));
    }
  }
});

test('an address leads to a resource and not again to its instances', () => {
  const resource = (name, instances, needs = []) => ({ name, instances: instances.map((key) => ({ key, needs })) });
  const root = plainly({ r: [resource('a', [0, 1]), resource('b', ['x'], ['a', 'a[1]', 'a["x"]', 'b']), resource('m[0].c', []), resource('m["k"].c', [2], ['m.c'])] });
  const header = { patterns: ['/r/*[name]', '/r/*/instances/*[~[{key|json}~]]'], join: '', edges: ['e=1/needs/*<['] };
  for (const make of [assemble, indexed]) {
    const document = openBytes(make({ root, header })), ends = (key) => document.dependencies(key).map(({ landmark }) => landmark.key);
    assert.deepEqual(ends('b["x"]'), ['a', 'a[1]', 'b']);
    assert.deepEqual(ends('m["k"].c[2]'), ['m[0].c', 'm["k"].c']);
    assert.deepEqual(document.dependents('a').map(({ landmark }) => landmark.key), ['b["x"]']);
  }
});

test('nested landmarks are found and compared in proportion to their number', () => {
  const twins = ['0229846ad6a6', '9cfd9ef664fa'], count = 3000, levels = 500; // of one CRC-32
  const records = list(count, (i) => [0x93, 0xc2, 0, 1 + (i % 2)]).flat();
  let root = [0xdc, (count + 1) >> 8, (count + 1) & 255, 0xc0, ...records];
  for (let i = 0; i < levels; i++) root = [0x95, 0xc2, 0, 3, 4, ...root];
  const file = { strings: ['k', ...twins, 'z', 'n'], root: Uint8Array.from(root), header: { patterns: ['(/*)*[k]'], join: '.' } };
  for (const make of [assemble, indexed, (each) => indexed({ ...each, parts: [32, 33, 34] })]) {
    const document = openBytes(make(file)), { index } = document, { piece, parent } = index.keys;
    let steps = 0;
    Object.assign(index.keys, { piece: (i) => (steps++, piece(i)), parent: (i) => (steps++, parent(i)) });
    const key = `${'z.'.repeat(levels)}${twins[1]}`;
    assert.equal(document.getAll(key).length, count / 2);
    assert.equal(document.getAll(`${key}x`).length, 0);
    assert.equal([...document.keys()].length, count + levels);
    if (make === assemble) new Walk(document.file, document.values, index.rule).slots((a, b) => index.keys.compare(a, b));
    assert.ok(steps < 60 * count, `${steps} steps`);
  }
});

test('the digest of a landmark is that of its key and its value', () => {
  const root = plainly({ a: { x: 1 }, b: { x: [2.5, 'é'] } }), header = { patterns: ['/*', '/*/*'], join: '.' };
  const words = (key) => Uint8Array.of(key.length, 0, 0, 0), utf8 = (text) => new TextEncoder().encode(text);
  const values = { a: [0x81, 0xa1, 0x78, 1], 'a.x': [1], b: [0x81, 0xa1, 0x78, 0x92, 0xcb, 0x40, 4, 0, 0, 0, 0, 0, 0, 0xa2, 0xc3, 0xa9], 'b.x': [0x92, 0xcb, 0x40, 4, 0, 0, 0, 0, 0, 0, 0xa2, 0xc3, 0xa9] };
  const expected = new Map(Object.entries(values).map(([key, bytes]) => [key, sha256().update(words(key)).update(utf8(key)).update(Uint8Array.from(bytes)).hex().slice(0, 32)]));
  const order = Object.keys(values).sort((a, b) => crc32(utf8(a)) - crc32(utf8(b)));
  const table = Uint8Array.from(order.flatMap((key) => expected.get(key).match(/../g).map((pair) => parseInt(pair, 16))));
  const document = openBytes(indexed({ root, header, digests: table }));
  for (const [key, digest] of expected) assert.equal(document.get(key).digest, digest);
  assert.equal(openBytes(indexed({ root, header })).get('a').digest, undefined);
});

test('blocks may have 4 KiB to 1 MiB', () => {
  for (const power of [12, 13, 16, 20]) {
    const bytes = indexed({ root: resources(4000, 900), header: RULE, blocks: power }), document = openBytes(bytes);
    assert.equal(document.get('urn:1234').pointer('/index').toJS(), 1234);
    const landmark = document.get('urn:2000'), at = landmark.index.offset(landmark.ordinal) + 60, size = 2 ** power;
    bytes[at] ^= 1;
    assert.throws(() => openBytes(bytes).get('urn:2000').toJS(), refused('SUM-MISMATCH', at - (at % size)));
    assert.equal(openBytes(bytes).get('urn:3').pointer('/index').toJS(), 3);
  }
});

test('every rule of the registry of dialects is well formed', () => {
  const [head, ...rows] = readFileSync(new URL('../../../model/registry/dialects.tsv', import.meta.url), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split('\t'));
  const list = (row, column) => (row[head.indexOf(column)] === '-' ? [] : row[head.indexOf(column)].split(' ').map((value) => ({ value, at: 0 })));
  assert.ok(rows.length > 10);
  for (const row of rows) assert.ok(new Rule(list(row, 'patterns'), undefined, list(row, 'edges')).start, row[0]);
});

test('a walk for edges enters a shared value once for each landmark', () => {
  // Each shared value is twice the one before. The first landmark has already met the content of
  // the second of them.
  const shared = [[null, 'b', 'b'], ...Array.from({ length: 60 }, (_, i) => [null, -1 - i, -1 - i])];
  const root = [null, [false, 'id', 'a', 'r', [null, -1, -2, -61]], [false, 'id', 'b', 'r', -2]];
  const document = openBytes(assemble({ shared, root, header: { patterns: ['/*[id]'], edges: ['r=0/r(/*)*'] } }));
  const ends = (key) => document.get(key).dependencies.map(({ landmark }) => landmark.key);
  assert.deepEqual([ends('a'), ends('b')], [['b'], ['b']]);
});

test('edges are counted before they are made', () => {
  const of = (count, limits) => openBytes(assemble({
    root: [null, ...Array.from({ length: count }, (_, i) => [false, 'id', 'k', 'r', [null, 'k', 'k', `${i}`]]), ...Array.from({ length: count }, (_, i) => [false, 'id', `${i}`])],
    header: { patterns: ['/*[id]'], edges: ['r=0/r/*'] },
  }), { limits });
  assert.deepEqual(of(2, { edges: 6 }).getAll('k').map((landmark) => landmark.dependents.length), [2, 2]);
  for (const document of [of(2, { edges: 5 }), of(2048)]) { // 2048 × 2049 of 2^22
    const [first] = document.getAll('k'); // which asks for none
    assert.throws(() => first.dependencies, refused('LIM-COUNT', document.file.root));
  }
});

test('a walk holds own keys and no full ones', () => {
  // Full keys of 480 levels are 240 times as long as the one key that they are made of: 7 GB if
  // each is held.
  const nested = (levels) => new Raw(...Array.from({ length: levels }, () => [0x93, 0xc2, 0]).flat(), 0xc0);
  const header = { patterns: ['(/*)*/*'], join: '/' }, long = 'k'.repeat(30000);
  const document = openBytes(assemble({ strings: [long], root: nested(480), header }));
  const key = Array(480).fill(long).join('/');
  assert.deepEqual(document.getAll(key).map(({ ordinal }) => ordinal), [479]);
  assert.ok(!document.has(`${key}/`) && !document.has(key.slice(1)));
  const lengths = [...document.keys()].map((each) => each.length);
  assert.deepEqual(lengths, Array.from({ length: 480 }, (_, i) => 30001 * (i + 1) - 1));
});

test('long own keys of one length are told apart in no more time than it takes to read them', () => {
  const items = Array.from({ length: 3000 }, (_, i) => [false, 'f', 0, 'n', String(i + 10000)]);
  const document = openBytes(assemble({ strings: ['k'.repeat(60000)], root: [null, ...items], header: { patterns: ['/*[{f}{n}]'] } }));
  const before = process.cpuUsage().user;
  assert.ok(!document.has('k'));
  const taken = process.cpuUsage().user - before;
  assert.ok(taken < 5e6, `${taken} microseconds of processor time`);
  assert.ok([...document.keys()].every((key, i) => key.endsWith(`k${i + 10000}`)));
});

test('keys that are cut in several ways are one key', () => {
  const root = plainly({ 'a/b': { c: 1 }, a: { 'b/c': 2, b: { c: 3 } }, 'é😀': { x: 4 }, '\ufffd': 5 });
  const file = { root, header: { patterns: ['(/*)*/*'], join: '/' } };
  for (const make of [assemble, indexed]) {
    const document = openBytes(make(file)), found = (key) => document.getAll(key).map((landmark) => landmark.toJSON()).join();
    assert.deepEqual(['a/b/c', 'a/b', 'é😀', 'é😀/x', '\ufffd'].map(found), ['1,2,3', '{"c":1},{"c":3}', '{"x":4}', '4', '5']);
    assert.deepEqual(['a/', 'a/b/c/d', '/c', '', '\ud800', 'é\ud83d'].map(found), ['', '', '', '', '', '']);
  }
});

test('an address is made of the pieces of a template that can be made', () => {
  const items = [{ type: 't', name: 'n' }, { type: 't', name: 'n', mode: 'data', module: 'm' }, { type: 't' }, 'text', [], { type: 't', name: 'n', mode: 'other', module: 1 }];
  const document = openBytes(assemble({ root: plainly({ r: items }), header: { patterns: ['/r/*[({module}.)({mode=data}.){type}.{name}]'] } }));
  assert.deepEqual([...document.keys()], ['t.n', 'm.data.t.n', 't.n']);
  const json = openBytes(assemble({ root: plainly([{ k: 'a"\u001f\u007f' }, { k: 12 }, { k: null }]), header: { patterns: ['/*[~[{k|json}~]]'] } }));
  assert.deepEqual([...json.keys()], ['["a\\"\\u001f\u007f"]', '[12]']);
  const optional = openBytes(assemble({ root: plainly(['text', [], {}, { k: 'v' }]), header: { patterns: ['/*[a({k})]'] } }));
  assert.deepEqual([...optional.keys()], ['a', 'av']);
});

test('no beginning of a file is accepted', () => {
  const bytes = indexed({ root: resources(20, 3), header: RULE });
  for (let length = 0; length < bytes.length; length++) assert.throws(() => openBytes(bytes.slice(0, length)), FormatError, `${length} bytes`);
});

test('no changed bit is accepted', () => {
  const bytes = indexed({ root: resources(20, 300), header: RULE, blocks: true });
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] ^= 1 << at % 8;
    assert.notEqual(outcome(() => openBytes(bytes).verify()), 'accepted', `byte ${at}`);
    bytes[at] ^= 1 << at % 8;
  }
});

test('damage under matching checksums ends in a value or a FormatError', () => {
  let random = 1;
  const next = (n) => ((random = (Math.imul(random, 48271) >>> 0) % 2147483647) % n);
  const limits = { treeNodes: 100000, streamNodes: 100000, landmarks: 10000, edges: 10000 };
  for (const { name, bytes } of readVectors('good').filter((vector) => vector.bytes.length < 30000 && vector.bytes.length > 250 && !vector.name.startsWith('envelope-json'))) {
    const from = openBytes(bytes).file.payload + 11;
    for (let round = 0; round < 20; round++) {
      const damaged = bytes.slice();
      for (let n = 1 + next(2); n > 0; n--) damaged[from + next(damaged.length - from)] = [next(256), 0, 255, 0x90, 0xd4, 0xe0][next(6)];
      seal(damaged);
      for (const use of [(d) => d.toJS(), (d) => [...d.keys()].map((key) => d.getAll(key).map((m) => [m.toJSON(), m.dependencies.length, m.children.length])), (d) => d.verify()]) {
        try {
          use(openBytes(damaged, { limits }));
        } catch (error) {
          assert.ok(error instanceof FormatError, `${name}: ${error.stack}`);
        }
      }
    }
  }
});

test('without what Node computes natively the same comes out', async () => {
  const { getBuiltinModule } = process;
  delete process.getBuiltinModule;
  const { Sha256: Plain, crc32: byTable, sha256: withoutHelp } = await import('../src/hashes.js?table');
  process.getBuiltinModule = getBuiltinModule;
  assert.equal(byTable(new TextEncoder().encode('123456789')), 0xcbf43926);
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => i * i);
  assert.equal(byTable(bytes, 3, 4321), crc32(bytes, 3, 4321));
  assert.ok(withoutHelp() instanceof Plain);
});
