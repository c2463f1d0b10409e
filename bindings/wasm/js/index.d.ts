/** Compiled infrastructure packages and resource graphs: look up, ask, compare, draw, compile. */

import { Document as Reader, Json, OpenOptions } from './reader.js';
export { CoconutError, Json, Landmark, OpenOptions } from './reader.js';

export interface DepsOptions {
  /** The number of edges to follow; all if missing. */
  depth?: number;
  /** Only edges of these kinds. */
  kinds?: string | Iterable<string>;
  /** Only resources whose type matches one of these globs. */
  types?: string | Iterable<string>;
  /** Cuts the list. */
  limit?: number;
}

export interface ImpactOptions {
  depth?: number;
  kinds?: string | Iterable<string>;
  /** Types beyond which changes do not reach. */
  stopAt?: string | Iterable<string>;
}

export interface FindOptions {
  /** Match whole words. */
  word?: boolean;
  /** Read the text as a regular expression. */
  regex?: boolean;
  ignoreCase?: boolean;
  /** Search only in resources of these types. */
  types?: string | Iterable<string>;
  limit?: number;
}

export interface GraphOptions {
  /** An older document: changes since it are marked. */
  changed?: Document;
  /** Keys of resources, around which the picture is. */
  focus?: string | Iterable<string>;
  /** The number of edges from them. */
  depth?: number;
  types?: string | Iterable<string>;
  collapse?: 'none' | 'type' | 'module' | 'package' | 'namespace';
}

export interface DiffOptions {
  /** Only resources whose key matches one of these globs. */
  keys?: string | Iterable<string>;
  types?: string | Iterable<string>;
  /** Only places that match. */
  paths?: string | Iterable<string>;
  /** Rules of differences that do not matter, such as `*::/tags`. */
  ignore?: string | Iterable<string>;
  /** Every difference counts. */
  exact?: boolean;
  /** Created and deleted resources have all of their entries. */
  full?: boolean;
}

/** An answer as of the command with `--json`; `coco schema deps` and others describe it. */
export type Answer = { [key: string]: Json };

/** The report of `diff`, as that of `coco diff --json`. */
export interface DiffReport {
  resources: Answer[];
  front: Answer[];
  summary: Answer;
  [key: string]: Json;
}

/** An open document. A source in JSON or YAML is compiled first, and may be in gzip or zstd. */
export class Document extends Reader {
  /** Facts about the file and its contents. */
  info(): Answer;
  /**
   * Checks everything (§10), and returns the digest of the values (§4.7) in hexadecimal. Verify
   * files of foreign origin once.
   */
  verify(): string;
  /** All that the resource depends on. The key may be shortened, as far as it names one resource. */
  deps(key: string, options?: DepsOptions): Answer;
  /** All that depends on the resource. */
  rdeps(key: string, options?: DepsOptions): Answer;
  /** The numbers of resources that a change may reach, by distance and by type. */
  impact(keys: string | Iterable<string>, options?: ImpactOptions): Answer;
  /** The places of a text in values and keys. Secrets are not searched. */
  find(text: string, options?: FindOptions): Answer[];
  /**
   * The results of a filter of `jq`. A filter that computes runs in an instance of its own. It ends
   * after `maxSteps` steps (100,000,000), or when the stack or the memory ends.
   */
  query(filter: string, options?: { maxSteps?: number }): Json[];
  /** A picture: a page for a browser, an image, or the language of a drawing program. */
  graph(form?: 'html' | 'svg' | 'dot' | 'mermaid' | 'd2' | 'graphml', options?: GraphOptions): string;
}

export function open(data: Uint8Array | ArrayBuffer | string, options?: OpenOptions): Document;
/** The compiled document of a source in JSON or YAML, with its secrets. */
export function compile(source: Uint8Array | ArrayBuffer | string, options?: OpenOptions): Uint8Array;
/** Compares two documents by meaning. Secrets are shown only if both documents reveal them. */
export function diff(old: Document, newer: Document, options?: DiffOptions): DiffReport;
/** The same for people: as `coco diff` prints it, or for the comment of a pull request. */
export function diffText(old: Document, newer: Document, options?: DiffOptions & { form?: 'text' | 'markdown' }): string;
