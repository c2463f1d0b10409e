#!/usr/bin/env node
// coconut-reader get FILE KEY | info FILE | verify FILE | dump FILE
import { writeSync } from 'node:fs';
import { FormatError, openFile } from '../src/node.js';

const USAGE = `usage: coconut-reader get FILE KEY    print all values with this key, one JSON document each
       coconut-reader info FILE       say what the file is
       coconut-reader verify FILE     check everything, print the document digest
       coconut-reader dump FILE       print the document as JSON`;

const NEWER = /^(?:ENV-NEWER|TRL-NEWER|PRT-NEWER|PRT-CRITICAL|HDR-REQUIRES)$/; // not damaged, §5.12

const COMMANDS = {
  get(document, key) {
    if (key === undefined) return usage();
    const found = document.getAll?.(key) ?? document.decode() ?? []; // source text has no landmarks (§2.4)
    for (const landmark of found) landmark.writeJSON(print, 2), print('\n');
    if (!found.length) document.index?.checkAbsent(key);
    if (!found.length) process.stderr.write(`no landmark \`${key}\`\n`);
    return found.length ? 0 : 4;
  },

  info(document) {
    const lines = { encoding: document.encoding, 'document-type': document.documentType, ...document.header };
    for (const { number, length, offset } of document.file?.parts.values() ?? []) {
      lines[`part ${number}`] = `${length} bytes at ${offset}`;
    }
    for (const [name, value] of Object.entries(lines)) print(`${name}: ${value}\n`);
    return 0;
  },

  verify(document) {
    print(`${document.verify() ?? 'not covered by a digest'}\n`);
    return 0;
  },

  dump(document) {
    if (document.encoding === 'json') print(document.toJSON());
    else document.writeJSON(print, 2);
    print('\n');
    return 0;
  },
};

/** Writes a text before it returns. A stream would hold what it cannot write at once. */
function print(text) {
  for (let bytes = Buffer.from(text); bytes.length; ) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); // milliseconds
    }
  }
}

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
    if (error.code === 'EPIPE') return 0; // the reader of the output has stopped
    if (!(error instanceof FormatError) && !error.syscall) throw error;
    const hint = NEWER.test(error.code) ? '; upgrade the reader, or use the source' : '';
    process.stderr.write(`${file}: ${error.message}${hint}\n`);
    return error instanceof FormatError ? 1 : 2;
  }
}

process.exitCode = main(process.argv.slice(2));
