// The interface for people, around a module of WebAssembly.
//
// `glue` is the function that `build` makes of the output of wasm-bindgen: each call returns the
// functions of an instance of its own. Answers cross the border as JSON text.

/** A failure: of a file, of a question, or of the module itself. */
export class CoconutError extends Error {
  constructor(facts) {
    super(facts.message);
    this.name = 'CoconutError';
    for (const [fact, value] of Object.entries(facts)) {
      if (fact !== 'message') Object.defineProperty(this, fact, { value, enumerable: true });
    }
  }
}

/** The functions of the package, of one compiled module. */
export function connect(glue, module) {
  const fresh = () => {
    const made = glue();
    made.initSync({ module });
    return { made, isEnded: false };
  };
  let shared = fresh();

  // Runs work in an instance. A fault ends the instance: its stack and its memory are lost.
  const within = (instance, work) => {
    if (instance.isEnded) {
      throw new CoconutError({ code: 'WASM-ENDED', message: 'the instance of this document ended by a fault', hint: 'open the document again' });
    }
    try {
      return work(instance.made);
    } catch (error) {
      if (typeof error === 'string') throw new CoconutError(JSON.parse(error));
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        instance.isEnded = true;
        if (instance === shared) shared = fresh();
        const cause = error instanceof RangeError ? 'stack' : 'memory or stack';
        throw new CoconutError({ code: 'WASM-FAULT', message: `the question needs more ${cause} than there is (${error.message})` });
      }
      throw error;
    }
  };

  const bytesOf = (data) => {
    if (typeof data === 'string') return new TextEncoder().encode(data);
    if (data instanceof Uint8Array) return data;
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw new TypeError('expected a string, an ArrayBuffer or a Uint8Array');
  };
  const list = (value) => (value === undefined ? [] : typeof value === 'string' ? [value] : [...value]);
  const lines = (text) => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));

  class Document {
    #instance;
    #inner;

    constructor(data, { name = '<bytes>', reveal = false } = {}) {
      const bytes = bytesOf(data);
      this.#instance = shared;
      this.#inner = within(shared, (made) => new made.Document(name, bytes, reveal));
      this.name = name;
      this.reveal = reveal;
      this.documentType = this.#ask((inner) => inner.documentType());
      this.dialect = this.#ask((inner) => inner.dialect());
      Object.freeze(this);
    }

    #ask(question) {
      return within(this.#instance, () => question(this.#inner));
    }

    // The document in this instance: itself, or a copy.
    static #inside(document, instance) {
      if (document.#instance === instance) return document.#inner;
      const bytes = document.toBytes();
      return within(instance, (made) => new made.Document(document.name, bytes, document.reveal));
    }

    get length() {
      return this.#ask((inner) => inner.length());
    }

    has(key) {
      return this.#ask((inner) => inner.has(key));
    }

    get(key) {
      return this.getAll(key)[0];
    }

    getAll(key) {
      return JSON.parse(this.#ask((inner) => inner.getAll(key)));
    }

    getJson(key) {
      return this.#ask((inner) => inner.getAll(key));
    }

    value(ordinal) {
      return JSON.parse(this.#ask((inner) => inner.value(ordinal)))[0];
    }

    pointer(pointer) {
      return JSON.parse(this.#ask((inner) => inner.pointer(pointer)))[0];
    }

    keys() {
      return JSON.parse(this.#ask((inner) => inner.keys()));
    }

    landmarks() {
      return JSON.parse(this.#ask((inner) => inner.landmarks()));
    }

    children(parent) {
      const ordinal = typeof parent === 'object' ? parent.ordinal : parent;
      return JSON.parse(this.#ask((inner) => inner.children(ordinal)));
    }

    dependencies(key) {
      return JSON.parse(this.#ask((inner) => inner.edges(key, false)));
    }

    dependents(key) {
      return JSON.parse(this.#ask((inner) => inner.edges(key, true)));
    }

    toJs() {
      return JSON.parse(this.toJson());
    }

    toJson(indent) {
      return this.#ask((inner) => inner.toJson(indent));
    }

    toBytes() {
      return this.#ask((inner) => inner.toBytes());
    }

    verify() {
      return this.#ask((inner) => inner.verify());
    }

    info() {
      return JSON.parse(this.#ask((inner) => inner.info()));
    }

    #related(key, isUp, { depth, kinds, types, limit } = {}) {
      return JSON.parse(this.#ask((inner) => inner.related(key, isUp, depth, list(kinds), list(types), limit)));
    }

    deps(key, options) {
      return this.#related(key, false, options);
    }

    rdeps(key, options) {
      return this.#related(key, true, options);
    }

    impact(keys, { depth, kinds, stopAt } = {}) {
      return JSON.parse(this.#ask((inner) => inner.impact(list(keys), depth, list(kinds), list(stopAt))));
    }

    find(text, { word = false, regex = false, ignoreCase = false, types, limit } = {}) {
      return JSON.parse(this.#ask((inner) => inner.find(text, word, regex, ignoreCase, list(types), limit))).places;
    }

    query(filter, { maxSteps = 100000000 } = {}) {
      const chosen = this.#ask((inner) => inner.query(filter, maxSteps, true));
      if (chosen !== undefined) return lines(chosen);
      // Any other filter is a program that may use up the stack or the memory: of its own instance.
      const own = fresh();
      const inner = Document.#inside(this, own);
      return lines(within(own, () => inner.query(filter, maxSteps, false)));
    }

    graph(form = 'html', { changed, focus, depth, types, collapse = 'none' } = {}) {
      return this.#ask((inner) => {
        const drawing = new this.#instance.made.Drawing();
        drawing.focus = list(focus);
        drawing.depth = depth;
        drawing.types = list(types);
        drawing.collapse = collapse;
        if (changed === undefined) return drawing.of(inner, form);
        return drawing.ofChanged(inner, Document.#inside(changed, this.#instance), form);
      });
    }

    /** The report of a comparison. */
    static compare(old, newer, form, { keys, types, paths, ignore, exact = false, full = false } = {}) {
      const instance = newer.#instance;
      return within(instance, (made) => {
        const comparison = new made.Comparison();
        comparison.keys = list(keys);
        comparison.types = list(types);
        comparison.paths = list(paths);
        comparison.ignore = list(ignore);
        comparison.exact = exact;
        comparison.full = full;
        return comparison.of(Document.#inside(old, instance), newer.#inner, form);
      });
    }
  }

  return {
    Document,
    open: (data, options) => new Document(data, options),
    compile: (source, options) => new Document(source, options).toBytes(),
    diff: (old, newer, options) => JSON.parse(Document.compare(old, newer, 'json', options)),
    diffText: (old, newer, { form = 'text', ...options } = {}) => Document.compare(old, newer, form, options),
  };
}
