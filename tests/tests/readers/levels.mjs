// Says at which levels the JavaScript reader refuses files, and how: `levels.mjs READER FOLDER`.
//
// Of each file FOLDER/N.coco a line `N open decode verify`, tab-separated: `accepted`, or `CODE @ OFFSET`.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [reader, folder] = process.argv.slice(2);
const { FormatError, openBytes } = await import(pathToFileURL(join(reader, 'src/document.js')));

function said(level) {
  try {
    level();
    return 'accepted';
  } catch (error) {
    return error instanceof FormatError ? `${error.code} @ ${error.offset}` : String(error).replaceAll(/\s/g, ' ');
  }
}

const names = readdirSync(folder).filter((file) => file.endsWith('.coco')).map((file) => file.slice(0, -5)).sort();
for (const name of names) {
  const bytes = new Uint8Array(readFileSync(join(folder, `${name}.coco`)));
  const open = said(() => openBytes(bytes));
  const after = open === 'accepted' ? ['decode', 'verify'].map((level) => said(() => openBytes(bytes)[level]())) : [open, open];
  process.stdout.write(`${[name, open, ...after].join('\t')}\n`);
}
