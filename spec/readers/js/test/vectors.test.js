// spec/vectors: each good file holds its document, each bad one is refused with its code and offset
// at its levels.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { complaintsOfBad, complaintsOfGood, readVectors } from './vectors.js';

const good = readVectors('good'), bad = readVectors('bad');

test('the vectors are there', () => {
  assert.ok(good.length > 100, `${good.length} good vectors`);
  assert.ok(bad.length > 100, `${bad.length} bad vectors`);
});

for (const vector of good) {
  test(`good/${vector.name} holds its document`, () => assert.deepEqual(complaintsOfGood(vector), []));
  test(`good/${vector.name} gives the same answers without its index`, () => assert.deepEqual(complaintsOfGood(vector, { walk: true }), []));
}

for (const vector of bad) {
  test(`bad/${vector.name} is refused at its levels`, () => assert.deepEqual(complaintsOfBad(vector), []));
}

// A table of the reader with one number off by one must be noticed.
const SHIFTS = [
  ['hashes.js', '0xedb88320', '0xedb88321'],
  ['cursor.js', '0xcd: 256', '0xcd: 257'],
  ['cursor.js', '0xd9: 32', '0xd9: 33'],
  ['cursor.js', '0xd1: -129', '0xd1: -128'],
  ['cursor.js', '0xde: 16', '0xde: 17'],
  ['envelope.js', '(?:[\\t -~]', '(?:[\\t -\\x7f]'],
  ['errors.js', 'key: 65536', 'key: 65535'],
  ['errors.js', 'key: 65536', 'key: 65537'],
  ['errors.js', 'directory: 64', 'directory: 65'],
  ['output.js', '0x80, 16', '0x80, 15'],
  ['rule.js', 'TEXTS = 32', 'TEXTS = 31'],
  ['rule.js', 'TEXTS = 32', 'TEXTS = 33'],
  ['errors.js', 'depth: 512', 'depth: 511'],
  ['errors.js', 'depth: 512', 'depth: 513'],
  ['errors.js', 'parameters: 32', 'parameters: 33'],
  ['file.js', '\\x89CC', '\\x89CD'],
  ['file.js', 'REQUIRED = [1, 2, 3, 4]', 'REQUIRED = [1, 2, 3]'],
  ['file.js', 'TRAILER = 28', 'TRAILER = 27'],
  ['keys.js', 'NONE = 0xffffffff', 'NONE = 0xfffffffe'],
  ['file.js', 'landmarks, 1) / 4', 'landmarks, 1) / 3'],
  ['output.js', '0xa0, 32', '0xa0, 31'],
  ['values.js', 'INTEGER = 1, NESTED = 2', 'INTEGER = 2, NESTED = 1'],
];

for (const [file, from, to] of SHIFTS) {
  test(`with ${to} instead of ${from} in ${file} vectors go red`, async () => {
    const copy = mkdtempSync(join(tmpdir(), 'coconut-reader-'));
    try {
      const here = fileURLToPath(new URL('..', import.meta.url));
      for (const part of ['src', 'test/vectors.js', 'package.json']) cpSync(join(here, part), join(copy, part), { recursive: true });
      const source = readFileSync(join(here, 'src', file), 'utf8');
      assert.equal(source.split(from).length, 2, 'the number is in one place');
      writeFileSync(join(copy, 'src', file), source.replace(from, to));
      const { getBuiltinModule } = process;
      delete process.getBuiltinModule; // so that the copy has no CRC-32 but that of its own table
      const shifted = await import(pathToFileURL(join(copy, 'test/vectors.js')));
      process.getBuiltinModule = getBuiltinModule;
      const red = (complaints, vector) => {
        try {
          return complaints(vector).length > 0;
        } catch {
          return true;
        }
      };
      assert.ok(good.some((vector) => red(shifted.complaintsOfGood, vector)) || bad.some((vector) => red(shifted.complaintsOfBad, vector)));
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
}
