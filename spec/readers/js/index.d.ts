/** Reads Coconut files (version 1). Section numbers are those of the specification. */

/** The file breaks a rule of the specification; `offset` counts from the first byte of the file. */
export class FormatError extends Error {
  readonly code: string;
  readonly offset: number;
}

/** Several landmarks have the key, where one was requested. */
export class AmbiguousKey extends Error {
  readonly key: string;
  readonly matches: Landmark[];
}

/** §9: limits and budgets; see `LIMITS` for the defaults. */
export interface Limits {
  depth: number;
  streamNodes: number;
  streamBytes: number;
  treeNodes: number;
  string: number;
  key: number;
  envelope: number;
  parameters: number;
  landmarks: number;
  edges: number;
  directory: number;
  /** Bytes of all full keys together. */
  keys: number;
  /** Pieces of the template of a landmark's key. */
  pieces: number;
  header: number;
}
export const LIMITS: Readonly<Limits>;

export interface ToJSOptions {
  /** Integers: BigInt beyond ±(2^53 − 1) (`'auto'`, the default), always, or never (rounded). */
  bigint?: 'auto' | 'always' | 'number';
  /**
   * Objects: as JSON.parse makes them (the default), without a prototype, or Maps. Only Maps keep
   * the order of all keys.
   */
  objects?: 'object' | 'null' | 'map';
  /**
   * Values that the file shares: a copy in each place (the default), or the same JavaScript object
   * in all places.
   */
  shared?: 'copy' | 'alias';
}

export interface OpenOptions extends ToJSOptions {
  limits?: Partial<Limits>;
  /** Ignore the index of the file and walk the document to find the landmarks. */
  walk?: boolean;
}

export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json } | Map<string, Json>;

export class Value {
  readonly document: Document;
  readonly kind: 'null' | 'boolean' | 'integer' | 'float' | 'string' | 'list' | 'object';
  toJS(options?: ToJSOptions): Json;
  /** JSON text with exact integers, recognisable floats (`1.0`), and keys in their order. */
  toJSON(indent?: number | string): string;
  writeJSON(write: (piece: string) => void, indent?: number | string): void;
  pointer(pointer: string): Value | undefined;
}

export interface Edge {
  landmark: Landmark;
  kind: string;
  /** The number of the edge pattern. */
  edge: number;
}

/** A value that can be looked up (§8.1). Everything is read on demand. */
export class Landmark extends Value {
  readonly ordinal: number;
  /** The full key. */
  readonly key: string;
  readonly ownKey: string;
  /** The number of the pattern. */
  readonly class: number;
  readonly parent: Landmark | null;
  readonly children: Landmark[];
  readonly dependencies: Edge[];
  readonly dependents: Edge[];
  /**
   * §8.8: half a SHA-256 of key and value, hexadecimal, if the file has it. Do not believe it before
   * `verify`.
   */
  readonly digest: string | undefined;
}

export class Document extends Value {
  readonly encoding: 'msgpack';
  readonly documentType: string;
  readonly parameters: Map<string, string>;
  /** The strings and integers of the header (§5.3). */
  readonly header: { readonly [field: string]: string | number | bigint };
  /** The landmark with this full key, or undefined; throws AmbiguousKey if there are several. */
  get(key: string): Landmark | undefined;
  /** All landmarks with this full key, in document order. */
  getAll(key: string): Landmark[];
  has(key: string): boolean;
  keys(): Generator<string>;
  landmarks(): Generator<Landmark>;
  children(key?: string): Landmark[];
  dependencies(key: string): Edge[];
  dependents(key: string): Edge[];
  /** §10.1: reads the whole document once; throws a FormatError at the first fault. */
  decode(): void;
  /** §10.1: checks everything; returns the document digest (SHA-256, hexadecimal). */
  verify(): string;
}

/** §2.4: a file with encoding `+json`. It has no landmarks. */
export class SourceText {
  readonly encoding: 'json';
  readonly documentType: string;
  readonly parameters: Map<string, string>;
  toJSON(): string;
  toJS(): Json;
  decode(): void;
  verify(): string | undefined;
}

/** Opens a file that is in memory. The bytes must not change while the document is used. */
export function openBytes(bytes: Uint8Array, options?: OpenOptions): Document | SourceText;
