// §2 Envelope: the text before the first blank line.
import { characters, failNoBlankLine, failNoEnvelope, failNoFile } from './diagnosis.js';
import { need } from './errors.js';

const MEDIA_TYPE = 'application/vnd.coconut'; // §2.1
const ENCODING = /\+(msgpack|json)(?![!#$%&'*+\-.^_`|~0-9A-Za-z:/])/iy;
const SPACES = /(?:[ \t]|\r?\n(?=[ \t;]))*/y; // a line end before a space, a tab or ";" is a fold
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z:/]+/y;
const QUOTED = /"(?:[\t !#-[\]-~]|\\[\t -~])*/y;
const UNCLOSED = /[\r\n\\]/y, EMPTY = /[; \t\r\n]/y;
const BLANK_LINE = /\r?\n\r?\n/y;
const REQUIRED = { // §2.2
  'document-type': [/^("?)[0-9A-Za-z.-]+\1$/, 'ENV-NOTYPE'],
  version: [/^("?)0*[0-9]{1,5}\1$/, 'ENV-VERSION'],
};

/**
 * @typedef {{
 *   encoding: 'msgpack' | 'json', documentType: string, version: number, parameters: Map<string, string>,
 *   offsets: Map<string, number>, end: number }} Envelope  `end` is the offset of the payload
 */

/** @param {import('./checksums.js').Bytes} bytes @returns {Envelope} */
export function readEnvelope(bytes, limits) {
  const size = Math.min(bytes.size, limits.envelope), isCut = bytes.size > size;
  bytes.touch(0, size);
  const text = characters(bytes.u8, 0, size), parameters = new Map(), offsets = new Map();
  let pos = MEDIA_TYPE.length;
  const match = (form) => {
    form.lastIndex = pos;
    return form.exec(text);
  };
  const take = (...forms) => {
    const found = forms.map(match).find((each) => each) ?? failNoEnvelope(text, pos, isCut);
    pos += found[0].length;
    return found;
  };

  if (!text.toLowerCase().startsWith(MEDIA_TYPE)) failNoFile(text, MEDIA_TYPE);
  need(match(ENCODING), 'ENV-ENCODING', pos, 'expected +msgpack or +json');
  const encoding = take(ENCODING)[1].toLowerCase();
  while (take(SPACES) && !match(BLANK_LINE)) {
    if (text[pos] !== ';') failNoBlankLine(text, pos, isCut);
    pos++;
    take(SPACES);
    const start = pos, name = take(TOKEN)[0].toLowerCase();
    take(/=/y);
    const at = pos, [form, code] = Object.hasOwn(REQUIRED, name) ? REQUIRED[name] : [/^/, ''];
    need(!code || !match(EMPTY), code, at, `parameter ${name} is empty`);
    if (take(TOKEN, QUOTED)[0][0] === '"') {
      const isOpen = pos === bytes.size || match(UNCLOSED);
      need(!isOpen, 'ENV-SYNTAX', at, 'a quoted value is not closed on its line');
      take(/"/y);
    }
    const value = text.slice(at, pos);
    need(!parameters.has(name), 'ENV-DUPPARAM', start, `parameter ${name} is given twice`);
    need(parameters.size < limits.parameters, 'LIM-HEADER', start, 'one parameter too many');
    need(form.test(value), code, at, `parameter ${name} cannot be ${value}`);
    parameters.set(name, value.replace(/\\([^])|"/g, '$1'));
    offsets.set(name, at);
  }
  for (const [name, [, code]] of Object.entries(REQUIRED)) {
    need(parameters.has(name), code, pos, `parameter ${name} is missing`);
  }
  const version = Number(parameters.get('version')), at = offsets.get('version');
  need(version <= 65535, 'ENV-VERSION', at, `version ${version} is above 65535`);
  need(version === 0, 'ENV-NEWER', at, `version ${version}, this reader knows 0`); // §5.12
  const end = pos + take(BLANK_LINE)[0].length;
  return { encoding, documentType: parameters.get('document-type'), version, parameters, offsets, end };
}
