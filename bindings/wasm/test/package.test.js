// The package as it is installed: from `npm pack`, in a folder of its own.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coconut-npm-'));
const installed = join(folder, 'node_modules/coconut-format');
let coconut, reader;

const STATE = `{"version": 4, "terraform_version": "1.9.0", "resources": [
  {"mode": "managed", "type": "net", "name": "a", "instances": [{"attributes": {"cidr": "10.0.0.0/8"}}]},
  {"mode": "managed", "type": "host", "name": "b", "instances": [
    {"attributes": {"password": "hunter2", "size": 1}, "dependencies": ["net.a"],
     "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]}]}]}`;

const fault = (code, more = {}) => (error) => {
  assert.ok(error instanceof coconut.CoconutError || error instanceof reader.CoconutError, String(error));
  assert.equal(error.code, code, error.message);
  for (const [fact, value] of Object.entries(more)) assert.equal(error[fact], value, fact);
  return true;
};

before(async () => {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${packed}`], { cwd: folder });
  coconut = await import(pathToFileURL(join(installed, 'dist/node.js')).href);
  reader = await import(pathToFileURL(join(installed, 'dist/reader-node.js')).href);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the package has the files of its exports, and no others', () => {
  assert.deepEqual(readdirSync(join(installed, 'dist')).sort(), [
    'browser.js', 'coconut.js', 'coconut.wasm', 'connect.js', 'index.d.ts', 'node.js', 'page.html',
    'reader-browser.js', 'reader-node.js', 'reader.d.ts', 'reader.js', 'reader.wasm',
  ]);
});

test('the modules are small', () => {
  const size = (name) => gzipSync(readFileSync(join(installed, 'dist', name)), { level: 9 }).length;
  assert.ok(size('reader.wasm') + size('reader.js') + size('connect.js') <= 215_000, `${size('reader.wasm')}`);
  assert.ok(size('coconut.wasm') + size('coconut.js') + size('connect.js') <= 1_400_000, `${size('coconut.wasm')}`);
  assert.ok(statSync(join(installed, 'dist/page.html')).size <= 1_950_000);
});

test('nothing in a module tells where it was built', () => {
  for (const name of ['reader.wasm', 'coconut.wasm', 'page.html']) {
    const text = readFileSync(join(installed, 'dist', name), 'latin1');
    assert.doesNotMatch(text, /\/root\/|\/home\/|\.cargo\/registry\/src\/[^"]*\/root/, name);
  }
});

test('a source is opened, looked up and masked', () => {
  const state = coconut.open(STATE, { name: 'prod.tfstate' });
  assert.equal(state.dialect, 'terraform-state-4');
  assert.deepEqual(state.keys(), ['net.a', 'host.b']);
  assert.equal(state.length, 2);
  assert.deepEqual([state.has('net.a'), state.has('net.c')], [true, false]);
  assert.equal(state.get('net.a').instances[0].attributes.cidr, '10.0.0.0/8');
  assert.equal(state.get('net.c'), undefined);
  assert.equal(state.get('host.b').instances[0].attributes.password, '[secret]');
  assert.equal(state.pointer('/resources/1/instances/0/attributes/password'), '[secret]');
  assert.equal(state.pointer('/resources/1/instances/0/attributes/size'), 1);
  assert.doesNotMatch(state.toJson() + state.getJson('host.b') + state.graph('html') + state.graph('svg'), /hunter2/);
  const revealed = coconut.open(STATE, { name: 'prod.tfstate', reveal: true });
  assert.equal(revealed.get('host.b').instances[0].attributes.password, 'hunter2');
  assert.deepEqual(JSON.parse(revealed.toJson(1)), JSON.parse(STATE));
});

test('edges, answers and places', () => {
  const state = coconut.open(STATE, { name: 'prod.tfstate' });
  assert.deepEqual(state.dependents('net.a'), [['host.b', 'dependency']]);
  assert.deepEqual(state.dependencies('net.a'), []);
  assert.deepEqual(state.rdeps('net.a').resources.map(({ key }) => key), ['host.b']);
  assert.equal(state.deps('host.b', { depth: 1 }).count, 1);
  assert.deepEqual(state.impact('net.a').depths, [1]);
  assert.deepEqual(state.find('10.0').map(({ pointer }) => pointer), ['/instances/0/attributes/cidr']);
  assert.deepEqual(state.find('hunter2'), []);
  assert.equal(state.info().file, 'prod.tfstate');
  assert.deepEqual(state.landmarks().map(({ key, ordinal }) => [key, ordinal]), [['net.a', 0], ['host.b', 1]]);
});

test('filters that choose, compute, and do not end', () => {
  const state = coconut.open(STATE, { name: 'prod.tfstate' });
  assert.deepEqual(state.query('.resources[].type'), ['net', 'host']);
  assert.deepEqual(state.query('[.resources[].name] | join("-")'), ['a-b']);
  assert.deepEqual(state.query('.resources[1].instances[0].attributes.password | length'), [8]);
  assert.throws(() => state.query('.['), fault('QUERY-SYNTAX'));
  assert.throws(() => state.query('def f: 1 + f; f'), (error) => error.code === 'WASM-FAULT' || error.code.startsWith('LIM-'));
  assert.throws(() => state.query('last(range(1e12))', { maxSteps: 100000 }), fault('LIM-QUERY-STEPS'));
  assert.throws(() => state.query('1 | error("x")'), fault('QUERY-ERROR'));
  // None of that harms the document.
  assert.deepEqual(state.keys(), ['net.a', 'host.b']);
});

test('a comparison as data, text and Markdown', () => {
  const old = coconut.open(STATE, { name: 'old.tfstate' });
  const newer = coconut.open(STATE.replace('10.0', '11.0').replace('hunter2', 'hunter3'), { name: 'new.tfstate' });
  const report = coconut.diff(old, newer);
  assert.equal(report.summary.changed, 2);
  assert.deepEqual(report.resources.map(({ key }) => key), ['net.a', 'host.b']);
  assert.doesNotMatch(JSON.stringify(report), /hunter/);
  assert.match(coconut.diffText(old, newer), /instances\[0\]\.attributes\.cidr = "10\.0\.0\.0\/8" → "11\.0\.0\.0\/8"/);
  assert.match(coconut.diffText(old, newer, { form: 'markdown' }), /net\.a/);
  assert.equal(coconut.diff(old, newer, { keys: 'net.*' }).resources.length, 1);
  assert.match(newer.graph('html', { changed: old }), /old\.tfstate/);
});

test('pictures', () => {
  const state = coconut.open(STATE, { name: 'prod.tfstate' });
  assert.match(state.graph('svg'), /^<svg [^]*<\/svg>\s*$/);
  assert.match(state.graph('dot'), /^digraph/);
  assert.throws(() => state.graph('png'), fault('USAGE'));
  assert.match(state.graph(), /Content-Security-Policy/);
});

test('a compiled document is the same in both modules, and verified', () => {
  const bytes = coconut.compile(STATE, { name: 'prod.tfstate' });
  const [whole, small] = [coconut.open(bytes), reader.open(bytes)];
  assert.match(whole.verify(), /^[0-9a-f]{64}$/);
  assert.deepEqual(small.keys(), whole.keys());
  assert.deepEqual(small.get('host.b'), whole.get('host.b'));
  assert.equal(small.get('host.b').instances[0].attributes.password, '[secret]');
  assert.deepEqual(small.dependents('net.a'), [['host.b', 'dependency']]);
  assert.equal(small.toJson(), whole.toJson());
  assert.deepEqual(small.toBytes(), bytes);
});

test('every truncation and every changed byte is refused, or gives an answer', () => {
  const bytes = coconut.compile(STATE, { name: 'prod.tfstate' });
  const use = (data) => {
    for (const open of [reader.open, coconut.open]) {
      try {
        const document = open(data, { name: 'a.coco' });
        document.keys();
        document.get('host.b');
        document.toJson();
        if (open === coconut.open) document.verify();
      } catch (error) {
        assert.ok(typeof error.code === 'string' && !error.code.startsWith('WASM-'), `${error.code} ${error.stack}`);
      }
    }
  };
  for (let end = 0; end < bytes.length; end += 7) use(bytes.slice(0, end));
  for (let at = 0; at < bytes.length; at += 3) {
    const changed = bytes.slice();
    changed[at] ^= 0xff;
    use(changed);
  }
  assert.throws(() => reader.open(bytes.slice(0, 20)), (error) => typeof error.code === 'string');
});

test('faults have a code, a place and a hint', () => {
  assert.throws(() => coconut.open('{"a": 1,}', { name: 'a.json' }), (error) => {
    assert.deepEqual([error.file, error.line, error.column], ['a.json', 1, 8]);
    return fault(error.code)(error);
  });
  assert.throws(() => coconut.open(''), fault('ENV-EMPTY'));
  assert.throws(() => coconut.open(42), TypeError);
  const state = coconut.open(STATE, { name: 'prod.tfstate' });
  assert.throws(() => state.deps('net.b'), fault('KEY-MISSING'));
});

test('the declarations fit the code', () => {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const program = `
    import { open, compile, diff, diffText, Document, CoconutError, Json } from 'coconut-format';
    import { open as read } from 'coconut-format/reader';
    const state: Document = open('{}', { name: 'a.json' });
    const keys: string[] = state.keys();
    const value: Json | undefined = state.get('a');
    const found = state.find('x', { ignoreCase: true, types: ['a'] })[0];
    const bytes: Uint8Array = compile('{}');
    const small = read(bytes);
    const edges: [string, string][] = small.dependencies('a');
    const text: string = diffText(state, state, { form: 'markdown' }) + state.graph('svg', { focus: 'a', changed: state });
    const changed: number = diff(state, state, { exact: true }).resources.length;
    // @ts-expect-error: reading alone has no filters
    small.query('.');
    // @ts-expect-error: there is no such form
    state.graph('png');
    try { state.verify(); } catch (error) { if (error instanceof CoconutError) console.log(error.code, error.offset); }
    console.log(keys, value, found, edges, text, changed);
  `;
  writeFileSync(join(folder, 'program.ts'), program);
  execFileSync(tsc, ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false', 'program.ts'], { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
});

test('each declared member exists, and each member is declared', () => {
  const declared = (name) => readFileSync(join(installed, 'dist', name), 'utf8').match(/export class Document [^]*?\n}/)[0]
    .split('\n').map((line) => /^ {2}(?:readonly )?(\w+)[(:]/.exec(line)?.[1]).filter(Boolean);
  const members = new Set([...declared('reader.d.ts'), ...declared('index.d.ts')]);
  const document = coconut.open('{}', { name: 'a.json' });
  const found = new Set([...Object.getOwnPropertyNames(coconut.Document.prototype), ...Object.keys(document)]);
  assert.deepEqual([...members].sort(), [...found].sort());
  assert.deepEqual(Object.keys(coconut).sort(), ['CoconutError', 'Document', 'compile', 'diff', 'diffText', 'open']);
});
