// The conformance vectors of spec/vectors, and the result of running one.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { FormatError, openBytes } from '../src/document.js';

export const VECTORS = new URL('../../../vectors/', import.meta.url);

/** `{ name, bytes, metadata: [key, value][] }` of all vectors of a folder. */
export function readVectors(folder) {
  const dir = new URL(`${folder}/`, VECTORS);
  if (!existsSync(dir)) return [];
  return readdirSync(dir).filter((file) => file.endsWith('.hex')).sort().map((file) => {
    const text = readFileSync(new URL(file, dir), 'utf8');
    return { name: file.slice(0, -4), ...parseHex(text), dir };
  });
}

export function parseHex(text) {
  const metadata = [];
  let digits = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('#!')) {
      const [, key, value] = /^#!\s*(.*?):(?:\s(.*))?$/.exec(line);
      metadata.push([key, value ?? '']);
    } else digits += line.replace(/#.*/, '').replace(/\s+/g, '');
  }
  return { metadata, bytes: Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16)) };
}

/**
 * JSON text without white space, with the spelling of numbers as in `toJSON()` and escapes as in
 * JSON.stringify.
 */
export function normalise(json) {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?[0-9][-+0-9.eE]*|\s+/g, (token) => {
    if (token[0] === '"') return JSON.stringify(JSON.parse(token));
    if (token.trim() === '') return '';
    if (!/[.eE]/.test(token)) return token === '-0' ? '-0.0' : token;
    const text = Object.is(Number(token), -0) ? '-0' : String(Number(token));
    return /[.e]/.test(text) ? text : `${text}.0`;
  });
}

/** `CODE @ offset` of the error that `run` ends with, or 'accepted'. */
export function outcome(run) {
  try {
    run();
    return 'accepted';
  } catch (error) {
    if (error instanceof FormatError) return `${error.code} @ ${error.offset}`;
    throw error;
  }
}

/** Faults of the reader with a good vector: a list of complaints. */
export function complaintsOfGood({ name, bytes, metadata, dir }, options = {}) {
  const complaints = [], expect = (what, found, wanted) => found !== wanted && complaints.push(`${what}: found ${String(found).slice(0, 200)}, expected ${String(wanted).slice(0, 200)}`);
  const edges = (list) => list.map(({ landmark, kind }) => `${landmark.key} ${kind}`).join(', ');
  try {
    const document = openBytes(bytes, options), isText = document.encoding === 'json';
    const json = normalise(readFileSync(new URL(`${name}.json`, dir), 'utf8'));
    expect('document', isText ? normalise(document.toJSON()) : document.toJSON(), json);
    expect('decode', outcome(() => document.decode()), 'accepted');
    expect('verify', outcome(() => document.verify()), 'accepted');
    const gets = new Map();
    for (const [key, value] of metadata) {
      const [, verb, landmark] = /^(get|class|deps|rdeps|children)\s(.*)$/s.exec(key) ?? [, key, value];
      if (verb === 'get') gets.set(landmark, [...(gets.get(landmark) ?? []), value]);
      else if (verb === 'class') expect(key, String(document.get(landmark)?.class), value);
      else if (verb === 'children') expect(key, document.get(landmark).children.map((child) => child.key).join(', '), value);
      else if (verb === 'absent') expect(`absent ${value}`, document.has(value), false);
      else if (verb === 'rdeps') expect(key, edges(document.dependents(landmark)), value);
      else if (verb === 'deps') {
        expect(key, edges(document.dependencies(landmark)), value);
        for (const { landmark: to, edge } of document.dependencies(landmark)) {
          expect(`${key} backwards`, to.dependents.some((back) => back.landmark.key === landmark && back.edge === edge), true);
        }
      }
    }
    for (const [key, pointers] of gets) {
      const found = document.getAll(key).map((match) => match.toJSON());
      expect(`get ${key}`, JSON.stringify(found), JSON.stringify(pointers.map((pointer) => document.pointer(pointer)?.toJSON())));
    }
  } catch (error) {
    complaints.push(error.stack);
  }
  return complaints;
}

/** The same for a bad vector, level by level. */
export function complaintsOfBad({ bytes, metadata }) {
  const wanted = new Map(metadata.filter(([, value]) => / @ [0-9]+$/.test(value))), complaints = [];
  const expect = (level, run) => {
    const found = outcome(run);
    if (found !== (wanted.get(level) ?? 'accepted')) complaints.push(`${level}: found ${found}, expected ${wanted.get(level) ?? 'accepted'}`);
  };
  expect('open', () => openBytes(bytes));
  for (const level of wanted.keys()) {
    if (level.startsWith('children ')) expect(level, () => openBytes(bytes).getAll(level.slice(9)).forEach((landmark) => landmark.children));
    if (level.startsWith('deps ')) expect(level, () => openBytes(bytes).getAll(level.slice(5)).forEach((landmark) => landmark.dependencies));
    if (level.startsWith('rdeps ')) expect(level, () => openBytes(bytes).getAll(level.slice(6)).forEach((landmark) => landmark.dependents));
    if (level.startsWith('get ')) expect(level, () => openBytes(bytes).getAll(level.slice(4)).forEach((landmark) => landmark.toJSON()));
  }
  if (wanted.has('decode') || [...wanted.keys()].some((level) => level !== 'verify')) expect('decode', () => openBytes(bytes).decode());
  expect('verify', () => openBytes(bytes).verify());
  return complaints;
}
