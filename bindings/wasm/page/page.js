// The page around the answers: files in, a frame with the graph, one resource beside it.

const byId = (id) => document.getElementById(id);
const MOST_BYTES = 1 << 30;

// Control characters, and those that hide or reorder text, become visible.
const deceptive = /[\p{C}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\uffa0]/gu;
const show = (text) => String(text).replace(deceptive, (c) => (c === '\n' ? c : `\\u{${c.codePointAt(0).toString(16)}}`));
const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

function element(tag, facts = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (name === 'text') made.textContent = show(value);
    else if (name === 'click') made.addEventListener('click', value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// The worker, and the questions that wait for an answer.
let worker = null;
let waiting = new Map();
let last = 0;

function startWorker() {
  const text = byId('worker').textContent;
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.addEventListener('message', ({ data: { id, answer, fault } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (!asked && fault) showFault(fault);
    else if (fault) asked?.reject(fault);
    else asked?.resolve(answer);
  });
  worker.addEventListener('error', (event) => showFault({ message: event.message || 'the worker cannot be started' }));
  worker.postMessage({ question: 'start', packed: byId('module').textContent });
}

function ask(question, facts, moved = []) {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, question, ...facts }, moved);
  });
}

function only(...shown) {
  for (const id of ['start', 'wait', 'fault', 'opened']) byId(id).hidden = !shown.includes(id);
  byId('wait').setAttribute('aria-busy', String(shown.includes('wait')));
}

function showFault({ message, code, file, line, column, offset, pointer, hint }) {
  const place = [file, line && `line ${line}, column ${column}`, offset !== undefined && `byte ${offset}`, pointer].filter(Boolean).join(', ');
  const box = byId('fault');
  box.replaceChildren(
    element('strong', { text: code ? `${code}: ` : '' }), element('span', { text: short(String(message), 4000) }),
    ...(place ? [element('div', { class: 'dim', text: short(place, 1000) })] : []),
    ...(hint ? [element('div', { text: short(`hint: ${hint}`, 1000) })] : []),
  );
  byId('facts').textContent = '';
  only('start', 'fault');
}

// The files, the older one first.
let files = [];

async function open(chosen) {
  if (chosen.length > 2) return showFault({ message: `${chosen.length} files; one or two can be opened` });
  const large = chosen.find((file) => file.size > MOST_BYTES);
  if (large) return showFault({ message: `more than ${grouped(MOST_BYTES)} bytes`, file: large.name, hint: 'use `coco`' });
  files = [...chosen];
  byId('doing').textContent = show(`Opening ${short(files.map((file) => file.name).join(' and '), 200)} …`);
  only('wait');
  try {
    const read = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: await file.arrayBuffer() })));
    showOpened(await ask('open', { files: read }, read.map(({ bytes }) => bytes)));
  } catch (fault) {
    showFault(fault);
  }
}

let changes = new Map();
let chosen = '';

function showOpened({ name, since, type, dialect, size, length, page, text, changes: report, difference }) {
  changes = new Map((report?.resources || []).map((one) => [one.key, one]));
  const facts = [since ? `${since} → ${name}` : name, dialect || type, length && `${grouped(length)} landmarks`, `${grouped(size)} bytes`];
  byId('facts').textContent = show(facts.filter(Boolean).map((one) => short(one, 300)).join('  ·  '));
  byId('other').hidden = false;
  byId('swap').hidden = !since;
  const frame = byId('frame');
  frame.hidden = !page;
  byId('one').hidden = true;
  chosen = '';
  if (page) frame.srcdoc = page;
  else {
    byId('one').replaceChildren(element('h2', { text: name }), ...(difference ? [element('pre', { text: difference })] : []), element('pre', { text }));
    byId('one').hidden = false;
  }
  only('opened');
  document.body.dataset.opened = name;
}

function links(title, edges) {
  if (!edges?.length) return [];
  const items = edges.slice(0, 100).map(([key, kind]) => element('li', {},
    element('button', { type: 'button', class: 'key', text: short(key, 300), click: () => choose(key) }), ' ', element('small', { text: kind })));
  const more = edges.length > 100 ? [element('li', { class: 'dim', text: `and ${grouped(edges.length - 100)} more` })] : [];
  return [element('h3', { text: `${title} (${grouped(edges.length)})` }), element('ul', {}, ...items, ...more)];
}

// The changes of a resource, or of its instances, which the graph shows as one box.
function changesOf(key) {
  const own = changes.has(key) ? [key] : [...changes.keys()].filter((one) => one.startsWith(`${key}[`)).slice(0, 20);
  return own.flatMap((one) => changesOfOne(changes.get(one), own.length > 1 || one !== key ? one : ''));
}

function changesOfOne(change, name) {
  const value = (of) => short(JSON.stringify(of) ?? '', 400);
  const places = (change.changes || []).slice(0, 200).map((one) => element('li', {},
    element('span', { text: one.pointer ?? one.path ?? '' }), ' ',
    ...(one.old !== undefined ? [element('span', { class: 'removed', text: value(one.old) }), ' → '] : []),
    ...(one.new !== undefined ? [element('span', { class: 'added', text: value(one.new) })] : [])));
  return [element('h3', { text: short(`${change.action ?? 'changed'} ${name}`, 300) }), element('ul', {}, ...places)];
}

async function choose(key, isFromFrame = false) {
  chosen = key;
  if (!isFromFrame) byId('frame').contentWindow.postMessage({ key }, '*');
  if (!key) {
    byId('one').hidden = true;
    return;
  }
  const found = await ask('resource', { key }).catch((fault) => ({ text: fault.message }));
  if (chosen !== key) return;
  byId('one').replaceChildren(
    element('h2', { text: short(key, 1000) }), ...changesOf(key),
    element('pre', { text: found.text ?? 'a group, or a key that is not shown' }),
    ...links('Depends on', found.dependencies), ...links('Dependents', found.dependents),
  );
  byId('one').hidden = false;
}

addEventListener('message', ({ source, data }) => {
  if (source === byId('frame').contentWindow && typeof data?.key === 'string' && data.key !== chosen) choose(data.key, true);
});

addEventListener('dragover', (event) => {
  event.preventDefault();
  byId('start').classList.add('over');
});
addEventListener('dragleave', () => byId('start').classList.remove('over'));
addEventListener('drop', (event) => {
  event.preventDefault();
  byId('start').classList.remove('over');
  const dropped = [...event.dataTransfer.files].sort((a, b) => a.lastModified - b.lastModified);
  if (dropped.length > 0) open(dropped);
});
byId('files').addEventListener('change', ({ target }) => {
  const picked = [...target.files].sort((a, b) => a.lastModified - b.lastModified);
  target.value = '';
  if (picked.length > 0) open(picked);
});
byId('swap').addEventListener('click', () => open(files.reverse()));
byId('other').addEventListener('click', () => {
  byId('facts').textContent = '';
  for (const id of ['other', 'swap']) byId(id).hidden = true;
  only('start');
});
byId('stop').addEventListener('click', () => {
  worker.terminate();
  waiting = new Map();
  startWorker();
  only('start');
});
startWorker();
