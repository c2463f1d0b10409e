import { connect } from './connect.js';
import { glue } from './reader.js';

const module = await WebAssembly.compileStreaming(fetch(new URL('./reader.wasm', import.meta.url)));
export { CoconutError } from './connect.js';
export const { Document, open } = connect(glue, module);
