// The interface of the reader: documents, landmarks and values.
import { Bytes } from './checksums.js';
import { BOOL, FLOAT, INT, NIL, STR } from './cursor.js';
import { readEnvelope } from './envelope.js';
import { FormatError, LIMITS, fail } from './errors.js';
import { File } from './file.js';
import { Index, enter } from './index.js';
import { NONE } from './keys.js';
import { Measure } from './measure.js';
import { build, print } from './output.js';
import { checkDigest, checkSource } from './source.js';
import { Container, Values } from './values.js';
import { verify } from './verify.js';

export { FormatError, LIMITS };

const KINDS = { [NIL]: 'null', [BOOL]: 'boolean', [INT]: 'integer', [FLOAT]: 'float', [STR]: 'string' };
const TEXT_LIMIT = 0x1fffffe8; // the longest string that JavaScript engines make

/** Opens a file that is in memory (§10.1 open). @param {Uint8Array} u8 */
export function openBytes(u8, options = {}) {
  return open(new Bytes(u8), options);
}

/**
 * Opens bytes that may be loaded piece by piece.
 * @returns {Document | SourceText}
 */
export function open(bytes, options = {}) {
  const limits = { ...LIMITS, ...options.limits }, envelope = readEnvelope(bytes, limits);
  if (envelope.encoding === 'json') return new SourceText(bytes, envelope, limits);
  return new Document(new File(bytes, envelope, limits), options);
}

/** A value that is read anew at each call. */
export class Value {
  /**
   * @param {Document} document
   * @param {() => { cursor: import('./cursor.js').Cursor, slot?: object }} locate
   *   finds the position, anew each time
   */
  constructor(document, locate) {
    this.document = document;
    this.locate = locate;
  }

  /** 'null', 'boolean', 'integer', 'float', 'string', 'list' or 'object'. */
  get kind() {
    const { cursor, slot } = this.locate(), { values } = this.document, value = values.read(cursor, slot);
    if (value instanceof Container) return value.isObject ? 'object' : 'list';
    return KINDS[values.kind];
  }

  /** JavaScript values: `bigint`, `objects` and `shared` say which (README). */
  toJS(options = {}) {
    const { values, file } = this.document;
    const { cursor, slot } = this.within(file.limits.treeNodes, file.limits.streamBytes);
    return build(values, cursor, slot, { ...this.document.options, ...options });
  }

  /** JSON text with exact integers, recognisable floats (`1.0`), and keys in their order. */
  toJSON(indent) {
    const pieces = [], start = this.locate().cursor.pos;
    let length = 0;
    this.writeJSON((piece) => {
      const isLong = (length += piece.length) > TEXT_LIMIT;
      if (isLong) fail('LIM-BYTES', start, 'longer than a string can be; writeJSON gives it in pieces');
      pieces.push(piece);
    }, indent);
    return pieces.join('');
  }

  /** The same, passed to `write` in pieces, for texts longer than a string can be. */
  writeJSON(write, indent) {
    const { values, file } = this.document;
    const { cursor, slot } = this.within(file.limits.streamNodes, file.limits.streamBytes);
    print(values, cursor, slot, indent, write);
  }

  /** The value that a JSON pointer leads to, or undefined. */
  pointer(pointer) {
    if (pointer === '') return this;
    if (!pointer.startsWith('/')) throw new TypeError(`a JSON pointer begins with "/": ${pointer}`);
    const { values } = this.document;
    let at = this.locate();
    for (const step of pointer.slice(1).split('/')) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      at = enter(values, values.read(at.cursor, at.slot), name);
      if (!at) return undefined;
    }
    const { cursor, slot } = at, start = cursor.pos;
    return new Value(this.document, () => {
      cursor.pos = start;
      return { cursor, slot };
    });
  }

  /** Returns how far the value expands; checks its forms. */
  measure() {
    const { cursor, slot } = this.locate();
    return this.document.measures.value(cursor, slot);
  }

  /** §9.2: the position, after its expansion was compared with the budgets. */
  within(nodes, bytes) {
    const start = this.locate().cursor.pos, total = this.measure();
    if (total.nodes > nodes) fail('LIM-NODES', start, `expands to ${total.nodes} values`);
    if (total.bytes > bytes) fail('LIM-BYTES', start, `expands to ${total.bytes} bytes of text`);
    return this.locate();
  }
}

/** A value that can be looked up (§8.1). */
export class Landmark extends Value {
  constructor(document, index, ordinal) {
    super(document, () => ({ cursor: index.cursor(ordinal) }));
    this.index = index;
    this.ordinal = ordinal;
  }

  /** The full key. */
  get key() { return this.index.key(this.ordinal); }
  get ownKey() { return this.index.own(this.ordinal); }
  /** The number of the pattern. */
  get class() { return this.index.class(this.ordinal); }

  get parent() {
    const { parent } = this.index.tree(this.ordinal);
    return parent === NONE ? null : this.#other(parent);
  }

  /** The landmarks whose parent is this one. */
  get children() {
    const { index } = this, { end } = index.tree(this.ordinal), found = [];
    for (let i = this.ordinal + 1; i < end; i = index.tree(i).end) found.push(this.#other(i));
    return found;
  }

  get dependencies() { return this.#edges(false); }
  get dependents() { return this.#edges(true); }

  /** §8.8: the first half of a SHA-256 of key and value, where the file has it. Verify the file first. */
  get digest() { return this.index.digest(this.ordinal); }

  #edges(reverse) {
    const { edges } = this.index.rule;
    return this.index.edges(this.ordinal, reverse).map(([ordinal, edge]) => (
      { landmark: this.#other(ordinal), kind: edges[edge].kind, edge }));
  }

  #other(ordinal) { return new Landmark(this.document, this.index, ordinal); }
}

/** Several landmarks have the key, where one was requested. */
export class AmbiguousKey extends Error {
  /** @param {string} key @param {Landmark[]} matches in document order */
  constructor(key, matches) {
    const ordinals = matches.map((match) => match.ordinal).join(', ');
    super(`key ${JSON.stringify(key)} names ${matches.length} landmarks: ordinals ${ordinals}`);
    this.name = 'AmbiguousKey';
    this.key = key;
    this.matches = matches;
  }
}

export class Document extends Value {
  #index;
  #measured;

  /** @param {File} file */
  constructor(file, options) {
    super(null, () => ({ cursor: this.values.cursor() }));
    const { documentType, parameters } = file.envelope, values = new Values(file), document = this;
    Object.assign(this, { document, file, options, values, encoding: 'msgpack', documentType, parameters });
    this.measures = new Measure(values);
    const shown = [...file.fields].filter(([, { kind }]) => kind === STR || kind === INT);
    this.header = Object.fromEntries(shown.map(([name, { value }]) => [name, value]));
  }

  /**
   * The tables of the file, or those of a walk through the document: without tables, or with the
   * option `walk`.
   */
  get index() {
    return (this.#index ??= new Index(this.file, this.values, { walk: this.options.walk }));
  }

  /**
   * The landmark with this full key, or undefined.
   * @throws {AmbiguousKey} if there are several
   */
  get(key) {
    const matches = this.getAll(key);
    if (matches.length > 1) throw new AmbiguousKey(key, matches);
    return matches[0];
  }

  /** All landmarks with this full key, in document order. */
  getAll(key) {
    return this.index.find(key).map((ordinal) => new Landmark(this, this.index, ordinal));
  }

  has(key) { return this.index.find(key).length > 0; }

  /** The full keys of all landmarks, in document order. */
  *keys() {
    for (const landmark of this.landmarks()) yield landmark.key;
  }

  *landmarks() {
    for (let i = 0; i < this.index.count; i++) yield new Landmark(this, this.index, i);
  }

  /** The landmarks without a parent, or the children of the one with this key. */
  children(key) {
    if (key !== undefined) return this.#one(key).children;
    return [...this.landmarks()].filter((landmark) => landmark.parent === null);
  }

  dependencies(key) { return this.#one(key).dependencies; }
  dependents(key) { return this.#one(key).dependents; }

  /** Reads the whole document once (§10.1 decode). */
  decode() { this.measure(); }

  measure() { return (this.#measured ??= this.measures.document()); }

  /** Checks everything (§10.1 verify). Returns the document digest. */
  verify() { return verify(this.file); }

  #one(key) {
    const landmark = this.get(key);
    if (!landmark) throw new RangeError(`no landmark has the key ${JSON.stringify(key)}`);
    return landmark;
  }
}

/**
 * §2.4: a file of source text, without an index. Only `toJSON()` keeps integers beyond 2^53 exact.
 */
export class SourceText {
  #text;

  constructor(bytes, envelope, limits) {
    const { documentType, parameters } = envelope;
    Object.assign(this, { bytes, envelope, limits, encoding: 'json', documentType, parameters });
  }

  /** The text as it is, once it was found to be a document. */
  toJSON() { return (this.#text ??= checkSource(this.bytes, this.envelope.end, this.limits)); }
  toJS() { return JSON.parse(this.toJSON()); }
  decode() { this.toJSON(); }

  /** Compares the optional digest; returns it, or undefined if the text has none. */
  verify() {
    this.decode();
    return checkDigest(this.bytes, this.envelope);
  }
}
