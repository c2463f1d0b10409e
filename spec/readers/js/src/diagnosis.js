// §2.1, §2.5, §3.3, §5.2, §5.10, §5.12: names the damage of bytes that are not a file, or no longer one. A
// reader calls this only after it has refused a file, and stops afterwards.
import { fail, need } from './errors.js';

const MEDIA_TYPE = 'application/vnd.coconut';
const TOKEN = "[!#$%&'*+\\-.^_`|~:0-9A-Za-z]+";
const SOURCE = /^(?:[{["]|---|%YAML|- |.*(?:: |:$))/; // the first significant line
const DAMAGE = [ // §2.5
  ['ENV-EMPTY', /^$/, 'the file is empty'],
  ['ENV-ZERO', /^(?:\0{8}|\0+$)/, 'the file begins with zero bytes'],
  ['ENV-BOM', /^(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)/, 'the file begins with a byte order mark'],
  ['ENV-COMPRESSED', /^(?:\x1f\x8b|\x28\xb5\x2f\xfd|PK\x03\x04|\xfd7zXZ\0|BZh)/, 'the file is compressed'],
  ['ENV-RAW', /^(?:[\x80-\x9f\xdc-\xdf]|\xc4\x08\x89)/, 'the file is msgpack without an envelope'],
  ['ENV-FOREIGN', RegExp(`^${TOKEN}/${TOKEN}(?:[; \\t\\r\\n]|$)`), 'the file has another media type'],
];
const CONVERTED = [ // §5.2
  ['\x09CC', 'the eighth bit was stripped'],
  ['\x89CC\r\r\n', 'LF became CR LF'],
  ['\x89CC\r\n\x1a\r\n', 'LF became CR LF'],
  ['\x89CC\n\x1a', 'CR LF became LF'],
  ['\x89CC\n\n', 'CR became LF'],
  ['\x89CC\r\r\x1a', 'LF became CR'],
  ['\x89CC\r\x1a', 'CR LF and LF became CR'],
  ['\x89CC\r\n\x1a\n', 'the NUL was lost'],
  ['\xef\xbf\xbdCC', 'bytes that are not UTF-8 were replaced'],
  ['\xc2\x89CC', 'each byte was taken for a Latin-1 character'],
  ['\xe2\x80\xb0CC', 'each byte was taken for a Windows-1252 character'],
];

/** Bytes as characters up to U+00FF, for regular expressions. */
export function characters(u8, start, end) {
  return String.fromCharCode(...u8.subarray(start, end));
}

/** §2.5: `text`, the beginning of a file, does not begin with the media type. */
export function failNoFile(text) {
  const isCut = text && MEDIA_TYPE.startsWith(text.toLowerCase());
  if (isCut) fail('ENV-NOBLANK', text.length, 'the file ends in its media type');
  for (const [code, form, detail] of DAMAGE) if (form.test(text)) fail(code, 0, detail);
  const lines = text.split('\n').map((each) => each.replaceAll(/^[ \t\r]+|[ \t\r]+$/g, ''));
  const line = lines.find((each) => each && !each.startsWith('#')) ?? '';
  const isSource = SOURCE.test(line) && !/[\0-\x08\x0b-\x1f]/.test(line);
  if (isSource) fail('ENV-TEXT', 0, 'the file is text without an envelope');
  if (text.length >= 4096 && !text.includes('\n')) fail('LIM-HEADER', 4096, 'the first line does not end');
  const same = [...MEDIA_TYPE].findIndex((char, i) => text[i]?.toLowerCase() !== char);
  fail('ENV-START', same < 0 ? MEDIA_TYPE.length : same, `the file does not begin with ${MEDIA_TYPE}`);
}

/** §2.1: no envelope continues or ends at `at`. `isCut`: the file continues after `text`. */
export function failNoBlankLine(text, at, isCut) {
  const line = /^\r?\n/.exec(text.slice(at))?.[0].length ?? 0, rest = text.slice(at + line);
  if (rest === '' || rest === '\r') {
    fail(isCut ? 'LIM-HEADER' : 'ENV-NOBLANK', text.length, 'there is no blank line');
  }
  if (line) fail('ENV-NOBLANK', at + line, 'a line that neither continues the envelope nor is blank');
  if (rest.startsWith('\r\r')) fail('ENV-NOBLANK', at, 'CR CR is not a blank line');
  fail('ENV-CHAR', at, `byte ${rest.charCodeAt(0)} in the envelope`);
}

/** §2.2, §5.12: a version that is not 1. */
export function failVersion(text, at) {
  const code = Number(text) > 65535 ? 'ENV-VERSION' : Number(text) > 1 ? 'ENV-NEWER' : 'ENV-OLDER';
  fail(code, at, `version ${text}, this reader reads 1: use another reader, or compile the source again`);
}

/** §5.2: `text`, from offset `payload` on, has no signature after the first `size` characters. */
export function failUnsigned(text, payload, size, signature, isArray) {
  const differs = size + [...signature].findIndex((char, i) => text[size + i] !== char);
  const isCut = isArray ? text.length < size + signature.length : !text;
  need(!isCut, 'MSG-SHORT', payload + Math.min(size + 2, text.length), 'the file ends in the signature');
  const all = CONVERTED.map(([pattern, detail]) => [text.slice(0, 32).indexOf(pattern), detail]);
  for (const [found, detail] of all.filter(([at]) => at >= 0 && at <= 24).sort(([a], [b]) => a - b)) {
    const first = [...signature.slice(2)].findIndex((char, i) => text[found + i] !== char);
    if (first >= 0) fail('ENV-EOL', payload + found + first, detail);
  }
  if (!isArray) fail('PAY-FORM', payload, 'the payload is not an array');
  fail('ENV-SIGNATURE', payload + differs, 'another signature');
}

/** §5.10: a file whose trailer does not have its magic. */
export function failNoTrailer(bytes, payload) {
  const { size } = bytes, from = Math.max(payload, size - 1024);
  bytes.touch(from, size);
  const isLonger = characters(bytes.u8, from, size - 8).includes('COCO');
  fail('TRL-MAGIC', size - 8, isLonger ? 'bytes may follow the trailer' : 'the file is cut short');
}

/**
 * §3.3: where the longest valid beginning ends, which is the first place that a decoder replaces.
 */
export function validLength(u8) {
  const again = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(u8));
  const differs = u8.findIndex((byte, i) => byte !== again[i]);
  if (differs < 0) return u8.length - (u8.at(-1) === 0xbf ? 2 : 1); // the replacement begins with the rest
  return differs - (again[differs] === 0xef ? 0 : again[differs] === 0xbf ? 1 : 2);
}
