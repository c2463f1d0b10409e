import { readFileSync } from 'node:fs';
import { connect } from './connect.js';
import { glue } from './coconut.js';

const module = new WebAssembly.Module(readFileSync(new URL('./coconut.wasm', import.meta.url)));
export { CoconutError } from './connect.js';
export const { Document, open, compile, diff, diffText } = connect(glue, module);
