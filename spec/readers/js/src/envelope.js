// §2 Envelope: the text before the first blank line.
import { characters, failNoBlankLine, failNoFile, failVersion } from './diagnosis.js';
import { fail, need } from './errors.js';

const MEDIA_TYPE = /^application\/vnd\.coconut(?![!#$%&'*\-.^_`|~0-9A-Za-z:/])/i; // §2.1
const ENCODINGS = { '+msgpack': 'msgpack', '+json': 'json' };
const TEXT = /(?:[\t -~]|\r?\n(?=[ \t;]))*/y; // a line end before a space, a tab or ";" is a fold
const BLANK_LINE = /\r?\n\r?\n/y;
const SPACES = /[ \t\r\n]*/y, SEMICOLON = /;[ \t\r\n]*/y, EQUALS = /=/y;
const NAME = /[!#$%&'*+\-.^_`|~0-9A-Za-z:/]+/y, ENCODING = /[!#$%&'*+\-.^_`|~0-9A-Za-z:/]*/y;
const QUOTED = /"(?:[^"\\\r\n]|\\[^\r\n])*"/y;
const REQUIRED = { // §2.2
  'document-type': [/^("?)[0-9A-Za-z.-]+\1$/, 'ENV-NOTYPE'],
  version: [/^("?)0*[0-9]{1,5}\1$/, 'ENV-VERSION'],
};
const USUAL = 256; // bytes in which most envelopes end

/**
 * @typedef {{
 *   encoding: 'msgpack' | 'json', documentType: string, version: number, parameters: Map<string, string>,
 *   offsets: Map<string, number>, end: number }} Envelope  `end` is the offset of the payload
 */

/** @param {import('./checksums.js').Bytes} bytes @returns {Envelope} */
export function readEnvelope(bytes, limits) {
  const size = Math.min(bytes.size, limits.envelope), parameters = new Map(), offsets = new Map();
  bytes.touch(0, size);
  let text = characters(bytes.u8, 0, Math.min(size, USUAL)), pos = 0;
  if (!/\n\r?\n/.test(text)) text = characters(bytes.u8, 0, size);
  const match = (form) => ((form.lastIndex = pos), form.exec(text));
  const take = (form) => {
    const found = match(form) ?? fail('ENV-SYNTAX', pos, `found ${JSON.stringify(text.slice(pos, pos + 9))}`);
    pos += found[0].length;
    return found;
  };

  const [mediaType] = MEDIA_TYPE.exec(text) ?? failNoFile(characters(bytes.u8, 0, size));
  const last = take(TEXT)[0].length, blankLine = match(BLANK_LINE); // where the envelope ends is found first
  if (!blankLine) failNoBlankLine(text, last, size === limits.envelope);
  text = text.slice(0, last);
  pos = mediaType.length;
  const encoding = ENCODINGS[take(ENCODING)[0].toLowerCase()], given = [];
  for (take(SPACES); pos < last; take(SPACES)) {
    take(SEMICOLON);
    const start = pos, name = take(NAME)[0].toLowerCase();
    take(EQUALS);
    const at = pos, [value] = take(text[at] === '"' ? QUOTED : NAME);
    need(given.length < limits.parameters, 'LIM-HEADER', start, 'one parameter too many');
    given.push({ start, name, at, value });
  }
  const isVersion = ({ name }) => name === 'version'; // judged first: another may differ in all else
  for (const { start, name, at, value } of given.sort((a, b) => isVersion(b) - isVersion(a))) {
    need(!parameters.has(name), 'ENV-DUPPARAM', start, `parameter ${name} is given twice`);
    const [form, code] = Object.hasOwn(REQUIRED, name) ? REQUIRED[name] : [/^/, ''];
    need(form.test(value), code, at, `parameter ${name} cannot be ${value}`);
    parameters.set(name, value.replace(/\\([^])|"/g, '$1'));
    offsets.set(name, at);
    if (isVersion({ name }) && Number(parameters.get(name)) !== 1) failVersion(parameters.get(name), at);
  }
  need(encoding, 'ENV-ENCODING', mediaType.length, 'another base encoding than +msgpack and +json');
  for (const [name, [, code]] of Object.entries(REQUIRED))
    need(parameters.has(name), code, last, `parameter ${name} is missing`);
  const documentType = parameters.get('document-type'), version = Number(parameters.get('version'));
  return { encoding, documentType, version, parameters, offsets, end: last + blankLine[0].length };
}
