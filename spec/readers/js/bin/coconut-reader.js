#!/usr/bin/env node
// coconut-reader get FILE KEY | info FILE | verify FILE | dump FILE
import { FormatError, openFile } from '../src/node.js';

const USAGE = `usage: coconut-reader get FILE KEY    print all values with this key, one JSON document each
       coconut-reader info FILE       say what the file is
       coconut-reader verify FILE     check everything, print the document digest
       coconut-reader dump FILE       print the document as JSON`;

const COMMANDS = {
  get(document, key) {
    if (key === undefined) return usage();
    const found = document.getAll?.(key) ?? document.decode() ?? []; // source text has no landmarks (§2.4)
    for (const landmark of found) process.stdout.write(`${landmark.toJSON(2)}\n`);
    if (!found.length) process.stderr.write(`no landmark \`${key}\`\n`);
    return found.length ? 0 : 4;
  },

  info(document) {
    const lines = { encoding: document.encoding, 'document-type': document.documentType, ...document.header };
    for (const { number, length, offset } of document.file?.parts.values() ?? []) {
      lines[`part ${number}`] = `${length} bytes at ${offset}`;
    }
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}: ${value}\n`);
    return 0;
  },

  verify(document) {
    process.stdout.write(`${document.verify() ?? 'not covered by a digest'}\n`);
    return 0;
  },

  dump(document) {
    if (document.encoding === 'json') process.stdout.write(document.toJSON());
    else document.writeJSON((piece) => process.stdout.write(piece), 2);
    process.stdout.write('\n');
    return 0;
  },
};

function usage() {
  process.stderr.write(`${USAGE}\n`);
  return 2;
}

/** Exit status: 0 done, 1 the file is refused, 2 wrong usage or no such file, 4 no such key. */
function main([command, file, ...rest]) {
  if (!Object.hasOwn(COMMANDS, command ?? '') || file === undefined) return usage();
  try {
    const document = openFile(file);
    try {
      return COMMANDS[command](document, ...rest);
    } finally {
      document.close();
    }
  } catch (error) {
    if (!(error instanceof FormatError) && !error.syscall) throw error;
    process.stderr.write(`${file}: ${error.message}\n`);
    return error instanceof FormatError ? 1 : 2;
  }
}

// A closed pipe: whoever reads has had enough.
process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 2));
process.exitCode = main(process.argv.slice(2));
