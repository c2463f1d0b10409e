// Says what the JavaScript reader finds in files: `dump.mjs READER FOLDER`.
//
// Of each file FOLDER/N.coco a line of JSON, with lookups of the keys in FOLDER/N.keys, a list in JSON.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [reader, folder] = process.argv.slice(2);
const { openBytes } = await import(pathToFileURL(join(reader, 'src/document.js')));

/** Values as the text that the reader prints, so that integers and floats stay apart. */
function landmark(mark) {
  const edges = (list) => list.map(({ landmark: { ordinal }, edge }) => [ordinal, edge]);
  const seen = JSON.stringify({
    ordinal: mark.ordinal, key: mark.key, own: mark.ownKey, class: mark.class, parent: mark.parent?.ordinal ?? null,
    children: mark.children.map((child) => child.ordinal), dependencies: edges(mark.dependencies), dependents: edges(mark.dependents),
  });
  return `${seen.slice(0, -1)},"value":${mark.toJSON()}}`;
}

function dump(name) {
  const document = openBytes(new Uint8Array(readFileSync(join(folder, `${name}.coco`))));
  const keys = JSON.parse(readFileSync(join(folder, `${name}.keys`), 'utf8'));
  const found = keys.map((key) => `[${document.getAll(key).map(landmark).join(',')}]`);
  const landmarks = [...document.landmarks()].length;
  return `{"file":"${name}","digest":"${document.verify()}","landmarks":${landmarks},"found":[${found.join(',')}]}`;
}

const names = readdirSync(folder).filter((file) => file.endsWith('.coco')).map((file) => file.slice(0, -5)).sort();
for (const name of names) {
  let line;
  try {
    line = dump(name);
  } catch (error) {
    line = JSON.stringify({ file: name, error: String(error) });
  }
  process.stdout.write(`${line}\n`);
}
