// §9 and §10: the error of a refused file, and the limits that are policies of this reader.

/**
 * The file breaks a rule of the specification. `offset` counts from the first byte of the file
 * (§1).
 */
export class FormatError extends Error {
  /** @param {string} code @param {number} offset @param {string} detail */
  constructor(code, offset, detail) {
    super(`${code} at offset ${offset}: ${detail}`);
    Object.assign(this, { name: 'FormatError', code, offset });
  }
}

/** @returns {never} */
export function fail(code, offset, detail) {
  throw new FormatError(code, Number(offset), detail);
}

/** Refuses the file if a rule does not hold. */
export function need(holds, code, offset, detail) {
  if (!holds) fail(code, offset, detail);
}

/** §9: the defaults; `open…(…, { limits })` changes them. */
export const LIMITS = Object.freeze({
  depth: 512,
  streamNodes: 268435456, streamBytes: 2 ** 34, treeNodes: 67108864,
  string: 268435456, key: 65536,
  envelope: 4096, parameters: 32, header: 65536,
  landmarks: 16777216, edges: 134217728, directory: 64, keys: 2 ** 32, pieces: 32,
});
