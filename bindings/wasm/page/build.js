// Writes dist/page.html: the page in one file, with the module, the worker, and a policy that
// permits these scripts by their digests, and no connection.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { open } from '../dist/node.js';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const within = (page, tag) => page.match(new RegExp(`<${tag}>([^]*?)</${tag}>`))[1];

// The frame has the page of a graph. It inherits the policy of this page, which must permit it.
const graph = open('{"vertices": {"a": {"type": "t"}}}', { name: 'a.json' }).graph('html');
const module = gzipSync(readFileSync(new URL('../dist/coconut.wasm', import.meta.url)), { level: 9 }).toString('base64');
const plain = (text) => text.replace(/^export /gm, '');
const worker = [read('../dist/coconut.js'), read('../js/connect.js'), read('worker.js')].map(plain).join('\n');
const script = `(() => {\n'use strict';\n${read('page.js')}})();\n`;
const style = read('page.css');
for (const text of [worker, script, style]) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error('a part of the page would end early');
}
const policy = [
  "default-src 'none'",
  `script-src 'wasm-unsafe-eval' ${digest(script)} ${digest(within(graph, 'script'))}`,
  `style-src ${digest(style)} ${digest(within(graph, 'style'))}`,
  'worker-src blob:', 'img-src data:', "base-uri 'none'", "form-action 'none'",
].join('; ');
const pieces = { policy, style, module, worker, script };
const page = read('page.html').replace(/\{\{(\w+)\}\}/g, (_, name) => pieces[name]);
writeFileSync(new URL('../dist/page.html', import.meta.url), page);
