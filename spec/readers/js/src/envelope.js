// §2 Envelope: the text before the first blank line.
import { fail } from './errors.js';

const MEDIA_TYPE = 'application/vnd.coconut';
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z:/]/;

/**
 * @typedef {{ encoding: 'msgpack' | 'json', documentType: string, version: number, parameters: Map<string, string>,
 *   offsets: Map<string, number>, end: number }} Envelope  `end` is the offset of the payload
 */

/** @param {import('./checksums.js').Bytes} bytes @returns {Envelope} */
export function readEnvelope(bytes, limits) {
  const end = Math.min(bytes.size, limits.envelope);
  bytes.touch(0, end);
  const text = String.fromCharCode(...bytes.u8.subarray(0, end));
  const lower = text.toLowerCase();
  const encoding = lower.startsWith(`${MEDIA_TYPE}+msgpack`) ? 'msgpack' : lower.startsWith(`${MEDIA_TYPE}+json`) ? 'json' : nameDamage(bytes.u8, text);
  const parameters = new Map(), offsets = new Map();
  let pos = MEDIA_TYPE.length + 1 + encoding.length;

  const peek = () => {
    if (pos >= end) {
      if (bytes.size > limits.envelope) fail('LIM-HEADER', limits.envelope, `no blank line in the first ${limits.envelope} bytes`);
      fail('ENV-FORM', pos, 'the file ends inside its envelope');
    }
    const code = text.charCodeAt(pos);
    if (code > 0x7e || (code < 0x20 && code !== 9 && code !== 10 && code !== 13)) fail('ENV-CHAR', pos, `byte ${code} in the envelope`);
    return text[pos];
  };
  const lineEnd = (at) => (text[at] === '\n' ? 1 : text[at] === '\r' && text[at + 1] === '\n' ? 2 : 0);
  const spaces = () => { // and folds: a line that begins with a space, a tab or ";" continues the one before
    for (;;) {
      const fold = lineEnd(pos);
      if (' \t'.includes(peek())) pos++;
      else if (fold && pos + fold < end && ' \t;'.includes(text[pos + fold])) pos += fold;
      else return;
    }
  };
  const token = () => {
    const start = pos;
    while (TOKEN.test(peek())) pos++;
    if (pos === start) fail('ENV-FORM', pos, `expected a token, found ${JSON.stringify(text[pos])}`);
    return text.slice(start, pos);
  };
  const quoted = () => {
    let value = '';
    for (pos++; peek() !== '"'; pos++) {
      if (text[pos] === '\\') pos++;
      if ('\r\n'.includes(peek())) fail('ENV-FORM', pos, 'a line ends inside a quoted value');
      value += text[pos];
    }
    pos++;
    return value;
  };

  for (;;) {
    const before = pos;
    spaces();
    if (peek() !== ';') {
      const first = lineEnd(pos);
      if (pos !== before || !first) fail('ENV-FORM', pos, 'expected ";" or a line end');
      pos += first;
      peek();
      const second = lineEnd(pos);
      if (!second) fail('ENV-FORM', pos, 'expected a blank line');
      pos += second;
      break;
    }
    pos++;
    spaces();
    const at = pos, name = token().toLowerCase();
    if (parameters.has(name)) fail('ENV-DUPPARAM', at, `parameter ${name} is given twice`);
    if (parameters.size === limits.parameters) fail('LIM-HEADER', at, `more than ${limits.parameters} parameters`);
    if (peek() !== '=') fail('ENV-FORM', pos, 'expected "="');
    pos++;
    peek();
    offsets.set(name, pos);
    parameters.set(name, text[pos] === '"' ? quoted() : token());
  }

  // §2.2
  for (const name of ['document-type', 'version']) if (!parameters.has(name)) fail('ENV-PARAM', 0, `parameter ${name} is missing`);
  const version = parameters.get('version');
  if (!/^[0-9]{1,5}$/.test(version) || Number(version) > 65535) fail('ENV-PARAM', offsets.get('version'), `version ${JSON.stringify(version)} is not a number from 0 to 65535`);
  if (Number(version) > 0) fail('ENV-NEWER', offsets.get('version'), `version ${version}, this reader knows 0`);
  return { encoding, documentType: parameters.get('document-type'), version: 0, parameters, offsets, end: pos };
}

/** §2.5: what a file is that has no envelope. */
function nameDamage(u8, text) {
  const begins = (...bytes) => bytes.every((byte, i) => u8[i] === byte);
  if (u8.length === 0) fail('ENV-EMPTY', 0, 'the file is empty');
  if (u8[0] === 0) fail('ENV-ZERO', 0, 'the file begins with zero bytes');
  if (begins(0xef, 0xbb, 0xbf) || begins(0xfe, 0xff) || begins(0xff, 0xfe)) fail('ENV-BOM', 0, 'the file begins with a byte order mark');
  const packed = [[0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd], [0x50, 0x4b], [0xfd, 0x37, 0x7a, 0x58, 0x5a], [0x42, 0x5a, 0x68]];
  if (packed.some((magic) => begins(...magic))) fail('ENV-COMPRESSED', 0, 'the file is compressed');
  if ((u8[0] >= 0x80 && u8[0] <= 0x9f) || (u8[0] >= 0xdc && u8[0] <= 0xdf)) fail('ENV-RAW', 0, 'the file is msgpack without an envelope');
  if (/^[a-z]+\/[a-z0-9]/i.test(text)) fail('ENV-FOREIGN', 0, `the file is ${text.match(/^[^;\s]*/)[0].slice(0, 80)}`);
  fail('ENV-TEXT', 0, 'the file is text without an envelope, or something else');
}
