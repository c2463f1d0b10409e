// The page in Chromium, from disk: ordinary and hostile files. Nothing may run, and nothing may be
// requested. `CHROMIUM` names the browser.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Browser } from '../../../inspect-cli/tests/browser/chromium.mjs';
import { compile } from '../dist/node.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
const program = process.env.CHROMIUM
  || process.env.PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync);
const skip = process.env.COCONUT_NO_BROWSER ? 'without a browser' : false;

const folder = mkdtempSync(join(tmpdir(), 'coconut-files-'));
const requests = [];
const complaints = [];
const contexts = new Map();
let browser, server, mainFrame, hits = 0;

/** A file to open. */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The value of an expression in the frame. */
async function inFrame(expression) {
  const [, { session, id }] = [...contexts].filter(([, one]) => one.isFrame).at(-1);
  const asked = { expression, contextId: id, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await browser.send('Runtime.evaluate', asked, session);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
  return result.value;
}

const text = (selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
const isHidden = (selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)}).hidden`);

/** Waits for a condition in the page. */
async function until(condition, ask = (expression) => browser.ask(expression)) {
  for (;;) {
    if (await ask(condition).catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Chooses files in the page, and waits until it shows them or a fault. */
async function choose(...paths) {
  contexts.forEach((one, key) => { if (one.isFrame) contexts.delete(key); });
  await browser.ask(`delete document.body.dataset.opened; document.getElementById('fault').replaceChildren()`);
  const { root } = await browser.send('DOM.getDocument');
  const { nodeId } = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#files' });
  await browser.send('DOM.setFileInputFiles', { nodeId, files: paths });
  await until(`document.body.dataset.opened !== undefined || document.getElementById('fault').childElementCount > 0`);
  return (await isHidden('#fault')) ? '' : text('#fault');
}

before(async () => {
  if (skip) return;
  assert.ok(program, 'there is no Chromium; install it, or set COCONUT_NO_BROWSER');
  server = createServer((_, response) => { hits += 1; response.end(); });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  browser = await Browser.start(program);
  mainFrame = (await browser.send('Page.getFrameTree')).frameTree.frame.id;
  browser.listeners.push(({ method, params, sessionId: session }) => {
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url);
    if (method === 'Network.webSocketCreated') requests.push(params.url);
    if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === 'Log.entryAdded') complaints.push(params.entry.text);
    if (method === 'Page.javascriptDialogOpening') complaints.push(`dialog: ${params.message}`);
    if (method === 'Runtime.executionContextCreated') {
      const { id, uniqueId, auxData } = params.context;
      contexts.set(uniqueId, { session, id, isFrame: auxData?.type === 'default' && auxData.frameId !== mainFrame });
    }
    if (method === 'Runtime.executionContextDestroyed') contexts.delete(params.executionContextUniqueId);
    if (method === 'Target.attachedToTarget') {
      for (const domain of ['Runtime', 'Network', 'Log']) browser.send(`${domain}.enable`, {}, params.sessionId).catch(() => {});
    }
  });
  await browser.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  await browser.open(pathToFileURL(fileURLToPath(new URL('../dist/page.html', import.meta.url))).href);
});
after(async () => {
  await browser?.end();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const STATE = `{"version": 4, "terraform_version": "1.9.0", "resources": [
  {"mode": "managed", "type": "net", "name": "a", "instances": [{"attributes": {"cidr": "10.0.0.0/8"}}]},
  {"mode": "managed", "type": "host", "name": "b", "instances": [
    {"attributes": {"password": "hunter2", "size": 1}, "dependencies": ["net.a"],
     "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]}]}]}`;

test('a state is drawn, and one of its resources is shown', { skip }, async () => {
  assert.equal(await choose(file('prod.tfstate', STATE)), '');
  assert.match(await text('#facts'), /^prod\.tfstate {2}· {2}terraform-state-4 {2}· {2}2 landmarks {2}· {2}\d+ bytes$/);
  await until('document.getElementById("facts").textContent !== ""', inFrame);
  assert.match(await inFrame('document.getElementById("facts").textContent'), /^2 resources {2}· {2}1 arrow/);
  await inFrame(`(() => { const query = document.getElementById("query"); query.focus(); query.value = "host"; query.dispatchEvent(new Event("input")); })()`);
  await until('document.querySelector("#results button") !== null', inFrame);
  await inFrame('document.querySelector("#results button").click()');
  await until('document.querySelector("#one h2")?.textContent === "host.b"');
  assert.match(await text('#one pre'), /"password": "\[secret\]"/);
  assert.match(await text('#one ul'), /^net\.a dependency$/);
  await browser.ask('document.querySelector("#one ul button").click()');
  await until('document.querySelector("#one h2")?.textContent === "net.a"');
  await until('document.querySelector("#details .key")?.textContent === "net.a"', inFrame);
  const everything = await browser.ask('document.documentElement.outerHTML + document.getElementById("frame").srcdoc');
  assert.doesNotMatch(everything, /hunter2/);
});

test('two files are compared', { skip }, async () => {
  const old = file('old.tfstate', STATE);
  await new Promise((done) => setTimeout(done, 20));
  const newer = file('new.tfstate', STATE.replace('10.0.', '11.0.').replace('hunter2', 'hunter3'));
  assert.equal(await choose(old, newer), '');
  assert.match(await text('#facts'), /^old\.tfstate → new\.tfstate/);
  await until('document.getElementById("tab-changes") !== null', inFrame);
  await inFrame('document.getElementById("tab-changes").click()');
  assert.match(await inFrame('document.getElementById("changes").textContent'), /^Since old\.tfstate: 2 changed/);
  await inFrame('document.querySelector("#changes .link").click()');
  await until('document.querySelector("#one .added") !== null');
  assert.equal(await text('#one .removed'), '"10.0.0.0/8"');
  assert.equal(await text('#one .added'), '"11.0.0.0/8"');
  assert.equal(await isHidden('#swap'), false);
  await browser.ask('document.getElementById("swap").click()');
  await until('document.getElementById("facts").textContent.startsWith("new.tfstate → old.tfstate")');
});

test('compiled and compressed files, and documents without resources', { skip }, async () => {
  assert.equal(await choose(file('prod.coco', compile(STATE, { name: 'a.tfstate' }))), '');
  assert.equal(await choose(file('prod.tfstate.gz', gzipSync(STATE))), '');
  assert.equal(await choose(file('plain.yaml', 'a: [1, 2]\nb: {c: text}\n')), '');
  assert.match(await text('#one pre'), /"c": "text"/);
});

test('twenty thousand resources', { skip }, async () => {
  const resources = Array.from({ length: 20000 }, (_, at) => ({
    mode: 'managed', type: `t${at % 11}`, name: `r${at}`,
    instances: [{ attributes: { id: `i-${at}` }, dependencies: at ? [`t${(at >> 1) % 11}.r${at >> 1}`] : [] }],
  }));
  await browser.ask(`(() => { window.longest = 0; let last = performance.now(); const beat = () => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; window.beats = requestAnimationFrame(beat); }; beat(); })()`);
  const begun = performance.now();
  assert.equal(await choose(file('large.tfstate', JSON.stringify({ version: 4, terraform_version: '1.9.0', resources }))), '');
  await until('document.getElementById("facts").textContent !== ""', inFrame);
  const seconds = (performance.now() - begun) / 1000;
  console.log(`20,000 resources: ${seconds.toFixed(1)} s, longest pause ${Math.round(await browser.ask('cancelAnimationFrame(window.beats), window.longest'))} ms`);
  assert.match(await inFrame('document.getElementById("facts").textContent'), /^20,000 resources/);
});

const graph = (...keys) => JSON.stringify({ package: 'p', vertices: Object.fromEntries(keys.map((key) => [key, { type: key, note: key }])) });
const compiled = compile(STATE, { name: 'a.tfstate' });
const changed = (at) => compiled.map((byte, place) => (place === at ? byte ^ 0x55 : byte));
const laughs = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghijk'.split('').map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[at]}`).join(', ')}]`).join('\n')}\n`;
// Each with a part of what the page says, or nothing for a file that is shown.
const HOSTILE = [
  ['script.json', graph('<script>ran = 1</script>', '</script><script>ran = 1</script>'), ''],
  ['image.json', graph('"><img src=x onerror="ran = 1">', "'><svg onload=ran=1>"), ''],
  ['address.json', graph('javascript:ran=1', 'http://127.0.0.1/'), ''],
  ['template.json', graph('{{script}}', '$&', "$'", '${ran = 1}'), ''],
  ['style.json', graph('</style><style>*{background:url(http://127.0.0.1/)}', '<!--', ']]>'), ''],
  ['proto.json', '{"package":"p","vertices":{"__proto__":{"type":"constructor"},"constructor":{"type":"__proto__"},"toString":{"type":"t"}}}', ''],
  ['direction.json', graph('\u202egnp.exe', 'a\u200bb', '\u2066x\u2069', '\ufeffz'), ''],
  ['surrogate.json', '{"package":"p","vertices":{"\\ud800":{"type":"t"}}}', null],
  ['long.json', graph('k'.repeat(65536), 'm'.repeat(65000)), ''],
  ['<img src=x onerror=ran=1>.json', graph('a'), ''],
  ['nested.json', '['.repeat(1000000), 'SRC-DEPTH'],
  ['deep.json', '{"a":'.repeat(100000) + '1' + '}'.repeat(100000), 'SRC-DEPTH'],
  ['bomb.json.gz', gzipSync(Buffer.alloc(300 << 20, 32)), null],
  ['laughs.yaml', laughs, null],
  ['empty.json', '', 'ENV-EMPTY'],
  ['torn.coco', compiled.slice(0, compiled.length / 2), null],
  ['torn.tfstate', STATE.slice(0, -10), null],
  ['changed.coco', changed(compiled.length - 40), null],
  ['head.coco', changed(3), null],
  ['wide.json', Buffer.from(STATE, 'utf16le'), null],
  ['random.bin', Uint8Array.from({ length: 5000 }, (_, at) => (at * at * 31 + at) & 255), null],
  ['zeros.coco', new Uint8Array(4096), null],
  ['twice.json', '{"a":1,"a":2}', null],
  ['pointer.json', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n', null],
];

for (const [name, content, expected] of HOSTILE) {
  test(`hostile: ${name}`, { skip }, async () => {
    const said = await choose(file(name, content));
    if (expected === '') assert.equal(said, '');
    else if (expected !== null) assert.match(said, new RegExp(`^${expected}`));
    else assert.ok(said === '' || /^[A-Z]+-[A-Z0-9-]+: ./.test(said), said);
    assert.ok(said.length < 6000);
    assert.equal(await browser.ask('typeof ran'), 'undefined');
    if (said === '' && !(await isHidden('#frame'))) {
      await until('document.getElementById("facts").textContent !== ""', inFrame);
      await inFrame('document.getElementById("tab-list")?.click()');
      assert.equal(await inFrame('typeof ran'), 'undefined');
      assert.equal(await inFrame('document.querySelectorAll("img, svg, iframe").length'), 0);
    }
    assert.equal(await browser.ask('document.querySelectorAll("img, svg, object, embed").length'), 0);
  });
}

test('work can be stopped, and the page goes on', { skip }, async () => {
  await browser.ask('document.getElementById("stop").click()');
  assert.equal(await choose(file('after.tfstate', STATE)), '');
});

test('nothing was requested, and nothing complained', { skip }, () => {
  assert.deepEqual(complaints, []);
  const ours = requests.filter((url) => !/^(blob:|data:|about:)/.test(url) && !/^file:.*\/dist\/page\.html$/.test(url));
  assert.deepEqual(ours, []);
  assert.equal(hits, 0);
});

test('the policy refuses every request and every script of others', { skip }, async () => {
  const address = `http://127.0.0.1:${server.address().port}/`;
  const tried = await browser.ask(`(async () => {
    const tried = [];
    await fetch(${JSON.stringify(address)}, { mode: 'no-cors' }).then(() => tried.push('fetch'), () => {});
    await new Promise((done) => { const image = new Image(); image.onload = () => { tried.push('image'); done(); }; image.onerror = done; image.src = ${JSON.stringify(address)}; });
    await new Promise((done) => { try { const socket = new WebSocket(${JSON.stringify(address.replace('http', 'ws'))}); socket.onopen = () => { tried.push('socket'); done(); }; socket.onerror = done; } catch { done(); } });
    const script = document.createElement('script');
    script.textContent = 'window.ran = 1';
    document.body.append(script);
    if (window.ran) tried.push('script');
    try { eval('1'); tried.push('eval'); } catch { }
    return tried;
  })()`);
  assert.deepEqual(tried, []);
  assert.equal(hits, 0);
});
