// §8.1 Landmark rule: its patterns are parsed into steps, and matched all at once as a state
// machine; and what the texts mean that are references.
import { fail, LIMITS } from './errors.js';

const SEGMENTS = 64, TEXTS = 32; // of patterns, and of edges
/** §5.3: the rule of packages, joined by ":". */
const PACKAGE = ['[name]', '/modules/*', '/modules/*/members/*', '/modules/*/members/*/members/*'];
const TEXT = /(?:[^~/*()[\]{}=|<]|~[01*()[\]{}=|<])*/y;

/** Reads one pattern or edge. */
class Scanner {
  constructor(text, offset) {
    this.text = text;
    this.offset = offset;
    this.pos = 0;
  }

  refuse(why, code = 'LMK-NEWER') {
    fail(code, this.offset, `${JSON.stringify(this.text)}: ${why}, at its character ${this.pos}`);
  }

  done() { return this.pos === this.text.length; }
  at(char) { return this.text.startsWith(char, this.pos); }

  take(char) {
    if (!this.at(char)) return false;
    this.pos += char.length;
    return true;
  }

  expect(char) { if (!this.take(char)) this.refuse(`expected ${char}`); }

  /** Text, with `~` before special characters. */
  literal(least = 1) {
    TEXT.lastIndex = this.pos;
    const [text] = TEXT.exec(this.text);
    if (text.length < least) this.refuse('expected text');
    this.pos += text.length;
    return text.replace(/~(.)/g, (_, char) => ({ 0: '~', 1: '/' })[char] ?? char);
  }

  segment(isEdge) {
    this.expect('/');
    if (this.take('*')) return { any: true, text: '*' };
    if (!this.take('{')) return { name: this.literal(0) }; // the empty key is one too
    if (!isEdge) this.refuse('`{name}` is allowed only in edges');
    const name = this.literal(0);
    this.expect('}');
    return { name, only: true };
  }

  /**
   * A path as segments. `groups` are pairs of positions: the segments between may be repeated or
   * left out.
   */
  path(isEdge) {
    const segments = [], groups = [];
    while (this.at('/') || this.at('(')) {
      const start = segments.length;
      if (this.take('(')) {
        do segments.push(this.segment(isEdge)); while (this.at('/'));
        this.expect(')*');
        groups.push([start, segments.length]);
      } else segments.push(this.segment(isEdge));
    }
    return { segments, groups };
  }

  /** Field = Text { "/" Text }: the steps of a path. */
  field() {
    const steps = [];
    do steps.push(this.literal()); while (this.take('/'));
    return steps;
  }

  /** Key = Field | Template: a list of pieces and of lists of pieces (parentheses). */
  key() {
    const pieces = [], start = this.pos;
    if (!this.at('(') && !this.at('{')) { // a field, unless something follows
      const field = this.field();
      if (this.take(']')) return [{ field }];
      this.pos = start;
    }
    while (!this.take(']')) {
      if (this.take('(')) {
        const inner = [];
        do inner.push(this.piece()); while (!this.at(')') && !this.at('|'));
        inner.once = this.take('|once');
        this.expect(')');
        pieces.push(inner);
      } else pieces.push(this.piece());
    }
    if (!pieces.length) this.refuse('expected a key');
    const [first] = pieces, isField = 'field' in first && !first.form && !('equals' in first);
    if (pieces.length === 1 && isField) this.refuse('a field alone has no braces', 'LMK-RULE');
    if (pieces.flat().every((piece) => 'text' in piece)) this.refuse('a template without a field');
    return pieces;
  }

  piece() {
    if (!this.take('{')) return { text: this.literal() };
    const piece = { field: this.field() };
    piece.form = ['json', 'modules'].find((form) => this.take(`|${form}`));
    if (!piece.form && this.take('=')) piece.equals = this.literal();
    this.expect('}');
    return piece;
  }

  /**
   * Which part of a string is the reference: `>` and `<`: the one before the last or the first
   * separator; `{`: each name; `[`: all of it, an address; none: all of it.
   */
  reading() {
    if (!this.take('<')) return { form: '' };
    const form = ['<', '{', '['].find((char) => this.take(char)) ?? '>';
    return { form, separator: '<>'.includes(form) ? this.literal() : '' };
  }
}

export class Rule {
  #names = new Set();
  #states = new Map();

  /**
   * @param {{ value: string, at: number }[]} patterns
   * @param {string | undefined} join
   * @param {{ value: string, at: number }[]} edges
   * @param {typeof LIMITS} [limits]
   */
  constructor(patterns, join, edges, limits = LIMITS) {
    this.join = join;
    let written = 0; // segments
    const parse = (list, read) => list.map(({ value, at }, i) => {
      const scan = new Scanner(value, at), parsed = read(scan, value);
      if (!scan.done()) scan.refuse('expected the end');
      if (i >= TEXTS) scan.refuse(`more than ${TEXTS} patterns or edges`);
      if ((written += parsed.path.segments.length) > SEGMENTS) scan.refuse(`more than ${SEGMENTS} segments`);
      return { ...parsed, at };
    });
    this.patterns = parse(patterns, (scan) => {
      const path = scan.path(false);
      const key = scan.take('[') ? scan.key() : null;
      const last = path.segments.length, isEntry = last > 0 && path.groups.at(-1)?.[1] !== last;
      const isRoot = scan.done() && !key && !isEntry;
      if (isRoot) scan.refuse('only an entry has a key of its own', 'LMK-RULE');
      const count = key?.flat().length ?? 0;
      if (count > limits.pieces) fail('LIM-COUNT', scan.offset, `${count} pieces of a template`);
      return { path, key };
    });
    this.edges = parse(edges, (scan, value) => {
      const [head, kind, number] = /^([a-z][a-z0-9-]*)=(0|[1-9][0-9]?)(?![0-9])/.exec(value) ?? [];
      if (!kind) scan.refuse('expected a kind, "=" and the number of a pattern');
      scan.pos = head.length;
      const path = scan.path(true), base = this.patterns[number]?.path;
      if (path.segments.length === 0) scan.refuse('an edge without a path');
      if (!base) scan.refuse(`there is no pattern ${number}`, 'LMK-RULE');
      return { kind, path, base, ...scan.reading() };
    });
    for (const edge of this.edges) { // an edge continues the path of its pattern
      const { path, base } = edge, shift = base.segments.length;
      const groups = path.groups.map(([from, to]) => [from + shift, to + shift]);
      edge.path = { segments: [...base.segments, ...path.segments], groups: [...base.groups, ...groups] };
    }
    this.machines = [...this.patterns, ...this.edges];
    for (const { path } of this.machines) for (const { name } of path.segments) this.#names.add(name);
    this.start = this.#state(this.machines.map((_, machine) => [machine, 0]));
    this.bare = edges.length ? new Rule(patterns, join, [], limits) : this; // without edges
  }

  /** The rule of a file, which is judged when it is used. */
  static of(file) {
    const { fields, limits, payload: at } = file, value = (name) => fields.get(name)?.value;
    const isPackage = value('document-type').toLowerCase() === 'cocopack';
    return (file.rule ??= isPackage && !['patterns', 'join', 'edges'].some((name) => fields.has(name))
      ? new Rule(PACKAGE.map((text) => ({ value: text, at })), ':', [], limits)
      : new Rule(value('patterns') ?? [], value('join'), value('edges') ?? [], limits));
  }

  /**
   * The state after the entry `key` (undefined: an item of a list) of an object that has it alone
   * or not; null if nothing can match.
   */
  step(state, key, alone) {
    const known = key === undefined || this.#names.has(key) ? key : null; // null: any other name
    const memo = (alone ? 'alone' : '') + (known === undefined ? '' : known === null ? '*' : `/${known}`);
    let next = state.next.get(memo);
    if (next === undefined) {
      next = this.#state(state.positions.flatMap(([machine, position]) => {
        const { segments, groups } = this.machines[machine].path, segment = segments[position];
        const leads = segment && (segment.any || (segment.name === key && (!segment.only || alone)));
        const group = groups.find(([, to]) => to === position + 1); // the last segment leads back
        return leads ? [[machine, group ? group[0] : position + 1]] : [];
      }));
      state.next.set(memo, next);
    }
    return next;
  }

  /** All positions that can be reached from these without a step, as one state. */
  #state(positions) {
    const reached = new Map();
    while (positions.length) {
      const [machine, position] = positions.pop(), id = machine * 1024 + position;
      if (reached.has(id)) continue;
      reached.set(id, [machine, position]);
      for (const [from, to] of this.machines[machine].path.groups) {
        if (position === from) positions.push([machine, to]);
      }
    }
    if (reached.size === 0) return null;
    const ids = [...reached.keys()].sort((a, b) => a - b), name = ids.join();
    if (!this.#states.has(name)) {
      const all = ids.map((id) => reached.get(id)), first = this.patterns.length;
      const isEnd = ([machine, position]) => position === this.machines[machine].path.segments.length;
      const ends = all.filter(isEnd).map(([machine]) => machine);
      const edges = ends.filter((machine) => machine >= first).map((machine) => machine - first);
      const lowest = ends[0] < first ? ends[0] : -1, leaf = all.every(isEnd);
      this.#states.set(name, { name, positions: all, leaf, class: lowest, edges, next: new Map() });
    }
    return this.#states.get(name);
  }
}

/** §8.1: the references in a text, as an edge reads it. */
export function references({ form, separator }, text) {
  if (form === '{') return names(text);
  const cut = form === '<' ? text.indexOf(separator) : form === '>' ? text.lastIndexOf(separator) : -1;
  return [cut < 0 ? text : text.slice(0, cut)];
}

/** The names in `${name}`. */
function names(text) {
  const closed = text.slice(0, text.lastIndexOf('}') + 1); // each name in it has an end
  const found = [...closed.matchAll(/\$\{([^}]*)\}/g)].map(([, inner]) => inner.split(/[.[]/, 1)[0]);
  return found.filter((name) => name && !name.startsWith('!'));
}

/**
 * §8.1: the own key of a value, or undefined. `field(path)` returns a string, `{ integer }`, a list
 * of such values or undefined.
 */
export function ownKey(pattern, entryKey, field) {
  const make = (pieces) => {
    let out = '';
    for (const piece of pieces) {
      const part = Array.isArray(piece) ? make(piece) ?? '' : makePiece(piece, field);
      if (part === undefined) return undefined;
      if (!piece.once || !out.endsWith(part)) out += part;
    }
    return out;
  };
  return pattern.key ? make(pattern.key) : entryKey;
}

function makePiece({ text, field: path, form, equals }, field) {
  if (text !== undefined) return text;
  if (form === 'modules') return address(field(path, true));
  const value = field(path), isText = typeof value === 'string';
  if (form) return isText ? JSON.stringify(value) : value && String(value.integer);
  return isText && value === (equals ?? value) ? value : undefined;
}

/** The address of a module of Terraform: `["root", "a", "b"]` is `module.a.module.b`. */
function address(path) {
  const isPath = path?.length > 1 && path[0] === 'root' && path.every((name) => typeof name === 'string');
  return isPath ? path.slice(1).map((name) => `module.${name}`).join('.') : undefined;
}
