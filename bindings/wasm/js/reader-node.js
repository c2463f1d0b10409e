import { readFileSync } from 'node:fs';
import { connect } from './connect.js';
import { glue } from './reader.js';

const module = new WebAssembly.Module(readFileSync(new URL('./reader.wasm', import.meta.url)));
export { CoconutError } from './connect.js';
export const { Document, open } = connect(glue, module);
