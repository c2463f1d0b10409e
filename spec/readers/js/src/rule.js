// §8.1 Landmark rule: its patterns are parsed into steps, and matched all at once as a state
// machine.
import { fail, LIMITS } from './errors.js';

const POSITIONS = 64, TEXTS = 32; // of patterns, and of edges
const SPECIAL = '/*()[]{}=|<';

/** Reads one pattern or edge. */
class Scanner {
  constructor(text, offset) {
    this.text = text;
    this.offset = offset;
    this.pos = 0;
  }

  refuse(why) {
    fail('LMK-RULE', this.offset, `${JSON.stringify(this.text)}: ${why}, at its character ${this.pos}`);
  }

  done() { return this.pos === this.text.length; }
  at(char) { return this.text.startsWith(char, this.pos); }

  take(char) {
    if (!this.at(char)) return false;
    this.pos += char.length;
    return true;
  }

  expect(char) {
    if (!this.take(char)) this.refuse(`expected ${char}`);
  }

  /** Text, with `~` before special characters. */
  literal(least = 1) {
    let out = '';
    for (; !this.done() && !SPECIAL.includes(this.text[this.pos]); this.pos++) {
      if (this.text[this.pos] !== '~') out += this.text[this.pos];
      else {
        const next = this.text[++this.pos];
        if (next === '0') out += '~';
        else if (next === '1') out += '/';
        else if (next !== undefined && SPECIAL.slice(1).includes(next)) out += next;
        else this.refuse('unknown escape');
      }
    }
    if (out.length < least) this.refuse('expected text');
    return out;
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

  /** Key = Text | Template: a list of pieces and of lists of pieces (parentheses). */
  key() {
    const pieces = [];
    while (!this.at(']')) {
      if (this.take('(')) {
        const inner = [];
        do inner.push(this.piece()); while (!this.at(')'));
        this.expect(')');
        pieces.push(inner);
      } else pieces.push(this.piece());
    }
    this.expect(']');
    if (!pieces.length) this.refuse('expected a key');
    if (pieces.length === 1 && 'text' in pieces[0]) return [{ field: pieces[0].text }];
    const [first] = pieces, isField = 'field' in first && !first.json && !('equals' in first);
    if (pieces.length === 1 && isField) this.refuse('a field alone has no braces');
    if (pieces.flat().every((piece) => 'text' in piece)) this.refuse('a template without a field');
    return pieces;
  }

  piece() {
    if (!this.take('{')) return { text: this.literal() };
    const piece = { field: this.literal() };
    if (this.take('|json')) piece.json = true;
    else if (this.take('=')) piece.equals = this.literal();
    this.expect('}');
    return piece;
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
    this.patterns = patterns.map(({ value, at }) => {
      const scan = new Scanner(value, at), path = scan.path(false);
      const key = scan.take('[') ? scan.key() : null;
      if (!scan.done()) scan.refuse('expected the end');
      const last = path.segments.length, isEntry = last > 0 && path.groups.at(-1)?.[1] !== last;
      if (!key && !isEntry) scan.refuse('only an entry has a key of its own');
      return { path, key, at };
    });
    this.edges = edges.map(({ value, at }) => {
      const scan = new Scanner(value, at);
      const [head, kind, number] = /^([a-z][a-z0-9-]*)=(0|[1-9][0-9]?)(?![0-9])/.exec(value) ?? [];
      if (!kind) scan.refuse('expected a kind, "=" and the number of a pattern');
      scan.pos = head.length;
      const own = scan.path(true);
      if (own.segments.length === 0) scan.refuse('an edge without a path');
      const separator = scan.take('<') ? scan.literal() : null;
      if (!scan.done()) scan.refuse('expected the end');
      return { kind, number, path: own, separator, at };
    });
    for (const edge of this.edges) { // an edge continues the path of its pattern
      const { path: own, number, at } = edge, base = this.patterns[number]?.path;
      if (!base) fail('LMK-RULE', at, `there is no pattern ${number}`);
      const shift = base.segments.length;
      const groups = own.groups.map(([from, to]) => [from + shift, to + shift]);
      edge.path = { segments: [...base.segments, ...own.segments], groups: [...base.groups, ...groups] };
    }
    this.machines = [...this.patterns, ...this.edges];
    this.#checkLimits();
    for (const { key, at } of this.patterns) {
      const count = key?.flat().length ?? 0;
      if (count > limits.pieces) fail('LIM-COUNT', at, `${count} pieces of a template`);
    }
    this.start = this.#state(this.machines.map((_, machine) => [machine, 0]));
    this.bare = edges.length ? new Rule(patterns, join, [], limits) : this; // without edges
  }

  /**
   * §8.1: counts the positions. A group has one where it begins, and one for each segment but the
   * last.
   */
  #checkLimits() {
    const tree = new Set(['']);
    for (const [machine, { path, at }] of this.machines.entries()) {
      const number = machine < this.patterns.length ? machine : machine - this.patterns.length;
      if (number >= TEXTS) fail('LMK-RULE', at, `more than ${TEXTS} patterns or edges`);
      const nameOf = ({ any, only, name }) => (any ? '/*' : `/${only ? 'only' : ''}${JSON.stringify(name)}`);
      const names = path.segments.map(nameOf);
      for (const { name } of path.segments) if (name !== undefined) this.#names.add(name);
      let prefix = '';
      for (let i = 0; i < names.length; i++) {
        const group = path.groups.find(([from]) => from === i);
        if (!group) tree.add((prefix += names[i]));
        else {
          const start = `${prefix}(${names.slice(...group).join('')})`;
          tree.add((prefix = start));
          for (; i < group[1] - 1; i++) tree.add((prefix += names[i]));
          prefix = start;
        }
      }
      if (tree.size > POSITIONS) fail('LMK-RULE', at, `more than ${POSITIONS} positions`);
    }
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

/**
 * §8.1: the own key of a value, or undefined. `field(name)` returns a string, `{ integer }` or
 * undefined.
 */
export function ownKey(pattern, entryKey, field) {
  if (!pattern.key) return entryKey;
  const make = (pieces) => {
    let out = '';
    for (const piece of pieces) {
      const part = Array.isArray(piece) ? make(piece) ?? '' : makePiece(piece, field);
      if (part === undefined) return undefined;
      out += part;
    }
    return out;
  };
  return make(pattern.key);
}

function makePiece(piece, field) {
  if (piece.text !== undefined) return piece.text;
  const value = field(piece.field), isText = typeof value === 'string';
  if (piece.json) return isText ? JSON.stringify(value) : value && String(value.integer);
  if (piece.equals !== undefined) return value === piece.equals ? value : undefined;
  return isText ? value : undefined;
}
