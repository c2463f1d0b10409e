import { connect } from './connect.js';
import { glue } from './coconut.js';

const module = await WebAssembly.compileStreaming(fetch(new URL('./coconut.wasm', import.meta.url)));
export { CoconutError } from './connect.js';
export const { Document, open, compile, diff, diffText } = connect(glue, module);
