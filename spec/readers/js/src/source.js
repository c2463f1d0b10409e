// §2.4 Encoding `+json`: source text instead of a payload, checked according to §4.1. JSON.parse would
// lose places, integers and equal keys.
import { validLength } from './diagnosis.js';
import { fail } from './errors.js';
import { sha256 } from './hashes.js';

const SPACE = /[ \t\n\r]*/y;
// A string piece by piece: one expression for all of it runs out of stack on long ones.
const PLAIN = /[^"\\\u0000-\u001f]*/y, ESCAPED = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;
const CUT = /(?:\\(?:u[0-9A-Fa-f]{0,3})?)?/y; // as much of an escape as there is
const NUMBER = /-?(?:0|[1-9][0-9]*)(?![0-9])((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![.eE0-9])/y;
const WORD = /null|true|false/y;
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const ESCAPE = /\\(?:u[0-9A-Fa-f]{4}|.)/g;

/** The text, if it is one document. Errors have offsets in the file. */
export function checkSource(bytes, start, limits) {
  bytes.load(start, bytes.size);
  const u8 = bytes.u8.subarray(start), text = decode(u8, start), closing = [], keys = [];
  let pos = 0;
  const sizeOf = (string) => new TextEncoder().encode(string).length;
  const refuse = (code, at, why) => fail(code, start + sizeOf(text.slice(0, at)), why);
  const match = (pattern) => {
    pattern.lastIndex = pos;
    return pattern.exec(text);
  };
  const take = (characters) => {
    pos += match(SPACE)[0].length;
    return pos < text.length && characters.includes(text[pos]) ? text[pos++] : '';
  };
  const expect = (characters) => take(characters) || refuse('SRC-JSON', pos, `expected one of ${characters}`);
  const string = (limit) => {
    const at = pos;
    if (text[pos++] !== '"') refuse('SRC-JSON', at, 'expected a string');
    while (text[(pos += match(PLAIN)[0].length)] !== '"') {
      const escaped = match(ESCAPED);
      if (!escaped) refuse('SRC-JSON', pos + match(CUT)[0].length, 'no escape, or no end of the string');
      pos += escaped[0].length;
    }
    const found = JSON.parse(text.slice(at, ++pos));
    if (HALF.test(found)) refuse('SRC-JSON', at + halfAt(text.slice(at, pos)), 'half of a surrogate pair');
    return found.length * 4 > limit && sizeOf(found) > limit ? refuse('LIM-STRING', at, 'too long') : found;
  };
  const scalar = () => {
    if (text[pos] === '"') return string(limits.string);
    const word = match(WORD), number = match(NUMBER);
    if (!word && !number) refuse('SRC-JSON', pos, 'expected a value');
    const refuseNumber = (code) => refuse(code, pos, `the number ${number[0].slice(0, 40)}`);
    if (number) checkNumber(number[0], number[1] !== '', refuseNumber);
    pos += (word ?? number)[0].length;
  };

  for (let isFirst = true; ;) {
    if (closing.length && isFirst && take(closing.at(-1))) {
      closing.pop();
      keys.pop();
    } else {
      if (keys.at(-1)) {
        take('');
        const at = pos, key = string(limits.key), known = keys.at(-1);
        if (known.size === known.add(key).size) refuse('SRC-DUPKEY', at, `key ${JSON.stringify(key)} again`);
        expect(':');
      }
      const opened = take('[{');
      if (opened) {
        closing.push(opened === '[' ? ']' : '}');
        keys.push(opened === '[' ? null : new Set());
        if (closing.length > limits.depth) refuse('SRC-DEPTH', pos - 1, `more than ${limits.depth} levels`);
        isFirst = true;
        continue;
      }
      scalar();
    }
    while (closing.length && expect(`,${closing.at(-1)}`) !== ',') {
      closing.pop();
      keys.pop();
    }
    isFirst = false;
    if (!closing.length) break;
  }
  take('');
  if (pos < text.length) refuse('SRC-JSON', pos, 'text after the document');
  return text;
}

function decode(u8, start) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(u8);
  } catch {
    return fail('SRC-UTF8', start + validLength(u8), 'not UTF-8');
  }
}

/** The offset of the first escape of half a pair in a string that has one. */
function halfAt(string) {
  let high = -1;
  for (const { 0: escape, index } of string.matchAll(ESCAPE)) {
    const unit = escape[1] === 'u' ? parseInt(escape.slice(2), 16) : 0;
    if (high >= 0 && (index !== high + 6 || unit < 0xdc00 || unit > 0xdfff)) return high;
    if (high < 0 && unit >= 0xdc00 && unit <= 0xdfff) return index;
    high = high < 0 && unit >= 0xd800 && unit <= 0xdbff ? index : -1;
  }
  return high;
}

/** §4.1 */
function checkNumber(text, isReal, refuse) {
  if (!isReal && text !== '-0') {
    if (text.length > 20 || BigInt(text) < -(2n ** 63n) || BigInt(text) >= 2n ** 64n) refuse('NUM-RANGE');
    return;
  }
  const value = Number(text);
  if (!Number.isFinite(value) || (value === 0 && /^[^e]*[1-9]/i.test(text))) refuse('NUM-RANGE');
  if (value !== 0 && decimal(text) !== decimal(String(value))) refuse('NUM-PRECISION');
}

/** The digits of a decimal number that is not zero, without zeros at the ends, and its exponent. */
function decimal(text) {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]*))?(?:e([+-]?[0-9]+))?$/i.exec(text);
  const [, sign, whole, fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, ''), short = digits.replace(/0+$/, '');
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

/** §2.2: compares the optional digest of the text; returns it, or undefined if there is none. */
export function checkDigest(bytes, envelope) {
  const expected = envelope.parameters.get('digest'), at = envelope.offsets.get('digest');
  if (expected === undefined) return undefined;
  if (!/^sha-256:[0-9a-f]{64}$/i.test(expected)) fail('ENV-SYNTAX', at, `no digest: ${expected}`);
  const found = sha256().update(bytes.u8.subarray(envelope.end)).hex();
  if (expected.toLowerCase() !== `sha-256:${found}`) fail('DIG-DIFFERS', at, `the text has sha-256:${found}`);
  return found;
}
