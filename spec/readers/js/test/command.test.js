import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assemble, Raw } from './assemble.js';
import { readVectors } from './vectors.js';

const COMMAND = fileURLToPath(new URL('../bin/coconut-reader.js', import.meta.url));

test('the command gets, dumps, verifies and refuses', () => {
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'file');
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  try {
    const { bytes } = readVectors('good').find(({ name }) => name === 'index-lowest-class');
    writeFileSync(path, bytes);
    assert.deepEqual(run('get', path, 'b'), { status: 0, stdout: '{\n  "k": 2\n}\n', stderr: '' });
    assert.deepEqual(run('get', path, 'none'), { status: 4, stdout: '', stderr: 'no landmark `none`\n' });
    assert.deepEqual(JSON.parse(run('dump', path).stdout), { a: { k: 1 }, b: { k: 2 } });
    assert.match(run('info', path).stdout, /^document-type: document$/m);
    assert.match(run('verify', path).stdout, /^[0-9a-f]{64}\n$/);
    writeFileSync(path, bytes.subarray(0, bytes.length - 1));
    assert.equal(run('verify', path).stderr, `${path}: TRL-MAGIC at offset ${bytes.length - 9}: the file is cut short\n`);
    assert.equal(run('get', path).status, 1);
    assert.equal(run('put', path).status, 2);
    assert.equal(run('get', join(dir, 'none'), 'b').status, 2);
    assert.deepEqual(run('info', dir), { status: 2, stdout: '', stderr: `${dir}: not a regular file\n` });
    const pipe = join(dir, 'pipe');
    if (spawnSync('mkfifo', [pipe]).status === 0) { // opening one must not wait for a writer
      assert.equal(run('info', pipe).stderr, `${pipe}: not a regular file\n`);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a file that needs a newer reader is not called damaged', () => {
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'file');
  const names = ['envelope-version-newer', 'payload-trailer-newer', 'payload-part-newer'], vectors = readVectors('bad').filter(({ name }) => names.includes(name));
  try {
    assert.equal(vectors.length, names.length);
    for (const { bytes } of vectors) {
      writeFileSync(path, bytes);
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, 'dump', path], { encoding: 'utf8' });
      assert.equal(status, 1);
      assert.match(stderr, /-NEWER at offset .*; upgrade the reader, or use the source\n$/);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('get refuses source text that is none, and finds nothing in good text', () => {
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'file');
  const envelope = 'application/vnd.coconut+json; document-type=document; version=1\n\n';
  const get = () => spawnSync(process.execPath, [COMMAND, 'get', path, 'a'], { encoding: 'utf8' });
  try {
    for (const [text, status, said] of [['{"a": [1, }', 1, /: SRC-JSON at offset 75: /], ['{"a": 1}', 4, /^no landmark `a`\n$/]]) {
      writeFileSync(path, envelope + text);
      const found = get();
      assert.deepEqual([found.status, found.stdout], [status, '']);
      assert.match(found.stderr, said);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a walk holds own keys and no full ones', () => {
  // Full keys of 480 levels, 3.5 GB together, made of one key.
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'file');
  const nested = new Raw(...Array.from({ length: 480 }, () => [0x93, 0xc2, 0]).flat(), 0xc0);
  try {
    writeFileSync(path, assemble({ strings: ['k'.repeat(30000)], root: nested, header: { patterns: ['(/*)*/*'], join: '/' } }));
    const { status, stderr } = spawnSync(process.execPath, ['--max-old-space-size=128', COMMAND, 'get', path, 'none'], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [4, 'no landmark `none`\n']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('output does not wait in memory for a slow reader, and ends when the reader stops', () => {
  const dir = mkdtempSync(join(tmpdir(), 'coconut-reader-')), path = join(dir, 'file');
  // 20 shared values, each twice the one before: a million texts of 100 characters.
  const shared = [[null, 'x'.repeat(100)], ...Array.from({ length: 20 }, (_, i) => [null, -1 - i, -1 - i])];
  const root = [null, [false, 'id', 'k', 'v', -21]];
  const run = (command) => spawnSync('sh', ['-c', `${command}; echo $?`, process.execPath, COMMAND, path], { encoding: 'utf8' });
  try {
    writeFileSync(path, assemble({ shared, root, header: { patterns: ['/*[id]'] } }));
    for (const what of ['dump "$2"', 'get "$2" k']) {
      const slow = run(`{ "$0" --max-old-space-size=64 "$1" ${what}; echo $? >&2; } | { sleep 1; wc -c; }`);
      if (slow.error) return; // no shell
      assert.match(slow.stderr, /^0\n$/);
      assert.ok(Number(slow.stdout.split('\n')[0]) > 1e8, slow.stdout);
      assert.match(run(`{ "$0" "$1" ${what}; echo $? >&2; } | head -c 10`).stderr, /^0\n$/);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('only the module for files needs Node', () => {
  const src = new URL('../src/', import.meta.url);
  const needing = readdirSync(src).filter((file) => /from 'node:|require\(|process\.|Buffer\b/.test(readFileSync(new URL(file, src), 'utf8')));
  assert.deepEqual(needing, ['node.js']);
});
