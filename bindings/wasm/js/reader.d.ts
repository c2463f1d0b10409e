/** Reads compiled documents. `coconut-format` has the same, and sources, answers and pictures. */

/** A failure: of a file, of a question, or of the module itself. */
export class CoconutError extends Error {
  /** The code, such as `CRC-MISMATCH` or `KEY-MISSING`. */
  readonly code: string;
  /** The place in the file, in bytes. */
  readonly offset?: number;
  readonly file?: string;
  /** The place in a source. */
  readonly line?: number;
  readonly column?: number;
  /** The JSON pointer of the value. */
  readonly pointer?: string;
  readonly expected?: string;
  readonly found?: string;
  /** What to do. */
  readonly hint?: string;
}

/** A value as `JSON.parse` makes it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface OpenOptions {
  /** The name for messages. Its ending is the format of a source. */
  name?: string;
  /** Show secrets, which otherwise read as `"[secret]"`. */
  reveal?: boolean;
}

/** A value with a name: a member of a package, a resource of a graph. */
export interface Landmark {
  /** The full key. */
  key: string;
  /** The key in its parent. */
  ownKey: string;
  class: number;
  /** The ordinal of its parent. */
  parent: number | null;
  /** The position in document order. */
  ordinal: number;
}

/**
 * An open document. All of it is in memory; each call decodes what it returns. Integers beyond
 * ±(2^53 − 1) are rounded as in `JSON.parse`: the methods that return text are exact.
 */
export class Document {
  constructor(data: Uint8Array | ArrayBuffer | string, options?: OpenOptions);
  readonly name: string;
  readonly reveal: boolean;
  /** `cocopack`, `cocogl`, or another name. */
  readonly documentType: string;
  readonly dialect: string | undefined;
  /** The number of landmarks. */
  readonly length: number;
  has(key: string): boolean;
  /** The value of the first landmark with this key, or `undefined`. */
  get(key: string): Json | undefined;
  /** The values of all landmarks with this key, in document order. */
  getAll(key: string): Json[];
  /** The values of all landmarks with this key, as the text of a list. */
  getJson(key: string): string;
  /** The value of the landmark with this ordinal, or `undefined`. */
  value(ordinal: number): Json | undefined;
  /** The value at a JSON pointer, or `undefined`. */
  pointer(pointer: string): Json | undefined;
  /** The keys of all landmarks, in document order. */
  keys(): string[];
  landmarks(): Landmark[];
  /** The landmarks directly inside one. */
  children(parent: Landmark | number): Landmark[];
  /** What the landmark refers to directly: pairs of key and kind. */
  dependencies(key: string): [key: string, kind: string][];
  /** What refers to the landmark directly: pairs of key and kind. */
  dependents(key: string): [key: string, kind: string][];
  toJs(): Json;
  /** The exact JSON text, on one line or with this many spaces for each level. */
  toJson(indent?: number): string;
  /** The bytes of the compiled document, with all of its secrets. */
  toBytes(): Uint8Array;
}

export function open(data: Uint8Array | ArrayBuffer | string, options?: OpenOptions): Document;
