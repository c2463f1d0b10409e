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
  if (!text.toLowerCase().startsWith(MEDIA_TYPE)) nameDamage(bytes.u8, text);
  const parameters = new Map(), offsets = new Map();
  let pos = MEDIA_TYPE.length;

  const peek = () => {
    if (pos >= end) {
      if (bytes.size > limits.envelope) fail('LIM-HEADER', limits.envelope, `no blank line in the first ${limits.envelope} bytes`);
      fail('ENV-NOBLANK', pos, 'the file ends before the blank line');
    }
    const code = text.charCodeAt(pos);
    const isControl = code < 0x20 && code !== 9 && code !== 10 && code !== 13;
    if (code > 0x7e || isControl || (code === 13 && pos + 1 < bytes.size && !'\r\n'.includes(text[pos + 1] ?? '\n'))) fail('ENV-CHAR', pos, `byte ${code} in the envelope`);
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
    if (pos === start) fail('ENV-SYNTAX', pos, `expected a token, found ${JSON.stringify(text[pos])}`);
    return text.slice(start, pos);
  };
  const quoted = () => {
    const start = pos;
    let value = '';
    for (pos++; peek() !== '"'; pos++) {
      if (text[pos] === '\\') pos++;
      if ('\r\n'.includes(peek())) fail('ENV-SYNTAX', start, 'a quoted value is not closed on its line');
      value += text[pos];
    }
    pos++;
    return value;
  };

  const encoding = peek() === '+' ? token().slice(1).toLowerCase() : '';
  if (encoding !== 'msgpack' && encoding !== 'json') fail('ENV-ENCODING', MEDIA_TYPE.length, `encoding ${JSON.stringify(encoding)}`);
  for (;;) {
    spaces();
    if (peek() !== ';') break;
    pos++;
    spaces();
    const at = pos, name = token().toLowerCase();
    if (parameters.has(name)) fail('ENV-DUPPARAM', at, `parameter ${name} is given twice`);
    if (parameters.size === limits.parameters) fail('LIM-HEADER', at, `more than ${limits.parameters} parameters`);
    if (peek() !== '=') fail('ENV-SYNTAX', pos, 'expected "="');
    pos++;
    offsets.set(name, pos);
    const raw = pos, value = peek() === '"' ? quoted() : ';\r\n \t'.includes(text[pos]) ? '' : token();
    check(name, value, raw, text.slice(raw, pos));
    if (!value && text[raw] !== '"') fail('ENV-SYNTAX', pos, 'a parameter without a value');
    parameters.set(name, value);
  }

  const blank = pos;
  if (text.startsWith('\r\r', pos)) fail('ENV-NOBLANK', pos, 'CR CR is not a blank line');
  if (!lineEnd(pos)) fail('ENV-SYNTAX', pos, 'expected ";" or a line end');
  pos += lineEnd(pos);
  peek();
  if (!lineEnd(pos)) fail('ENV-NOBLANK', pos, 'a line that neither continues the envelope nor is blank');
  pos += lineEnd(pos);
  for (const [name, code] of [['document-type', 'ENV-NOTYPE'], ['version', 'ENV-VERSION']]) {
    if (!parameters.has(name)) fail(code, blank, `parameter ${name} is missing`);
  }
  return { encoding, documentType: parameters.get('document-type'), version: 0, parameters, offsets, end: pos };
}

/** §2.2: what a parameter's row allows. */
function check(name, value, at, raw) {
  if (name === 'document-type' && (!/^[A-Za-z0-9.-]+$/.test(value) || raw.includes('\\'))) fail('ENV-NOTYPE', at, `document type ${raw}`);
  if (name !== 'version') return;
  if (!/^[0-9]+$/.test(value) || Number(value) > 65535 || raw.includes('\\')) fail('ENV-VERSION', at, `version ${raw}`);
  if (Number(value) > 0) fail('ENV-NEWER', at, `version ${value}, this reader knows 0`);
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
  if (/^\s*(\{|\[|---|%YAML|#|- |[\w"'.-]+:\s)/.test(text)) fail('ENV-TEXT', 0, 'the file is text without an envelope');
  const differs = [...MEDIA_TYPE].findIndex((char, i) => text[i]?.toLowerCase() !== char);
  fail('ENV-START', differs, `the file does not begin with ${MEDIA_TYPE}`);
}
