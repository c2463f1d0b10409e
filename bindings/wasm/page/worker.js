// Opens documents and answers, beside the page, which stays responsive and can stop it.

// Longer texts of a resource are cut: a page with millions of characters is slow.
const MOST_TEXT = 200000;

let documents = [];
let functions = null;
let started = null;

async function start(packed) {
  const text = atob(packed);
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  functions = connect(glue, await WebAssembly.compile(await new Response(unpacked).arrayBuffer()));
}

function cut(text) {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}\n… and ${text.length - MOST_TEXT} more characters` : text;
}

const answers = {
  open({ files }) {
    documents = [];
    documents = files.map(({ name, bytes }) => functions.open(new Uint8Array(bytes), { name }));
    const [newest, older] = [documents.at(-1), documents.length > 1 ? documents[0] : undefined];
    const opened = {
      name: newest.name, since: older?.name, type: newest.documentType, dialect: newest.dialect, size: files.at(-1).bytes.byteLength,
    };
    try {
      opened.length = newest.length;
      opened.page = newest.graph('html', { changed: older });
    } catch (fault) {
      // A document without landmarks is shown as text. Any other fault is one of the file.
      if (!(fault instanceof CoconutError) || opened.length > 0) throw fault;
      opened.text = cut(newest.toJson(2));
    }
    if (older) {
      opened.changes = functions.diff(older, newest);
      opened.difference = cut(functions.diffText(older, newest));
    }
    return opened;
  },

  resource({ key }) {
    const document = documents.at(-1);
    const values = document.getAll(key);
    if (values.length === 0) return { text: documents.length > 1 && documents[0].has(key) ? cut(JSON.stringify(documents[0].get(key), null, 2)) : undefined };
    const text = cut(values.map((value) => JSON.stringify(value, null, 2)).join('\n'));
    return { text, dependencies: document.dependencies(key), dependents: document.dependents(key) };
  },
};

addEventListener('message', async ({ data: { id, question, ...facts } }) => {
  try {
    if (question === 'start') started = start(facts.packed);
    await started;
    if (question !== 'start') postMessage({ id, answer: answers[question](facts) });
  } catch (error) {
    const { message, code, file, line, column, offset, pointer, hint } = error;
    postMessage({ id, fault: { message: String(message), code, file, line, column, offset, pointer, hint } });
  }
});
