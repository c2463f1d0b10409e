// CRC-32 (§1), and SHA-256 for the digests of §4.7 and §2.2, since browsers have no synchronous
// one.

const CRC = new Uint32Array(256).map((_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

// Node from 20.16 on has both; elsewhere they are undefined.
const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);
const nativeCrc32 = builtin('node:zlib')?.crc32, createHash = builtin('node:crypto')?.createHash;

/**
 * CRC-32 as in zlib; continues that of the preceding bytes, `before`. The native one forgets that
 * if no bytes follow.
 * @param {Uint8Array} u8
 */
export function crc32(u8, start = 0, end = u8.length, before = 0) {
  if (nativeCrc32 && start < end) return nativeCrc32(u8.subarray(start, end), before);
  let crc = ~before;
  for (let i = start; i < end; i++) crc = CRC[(crc ^ u8[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

// The constants are the first 32 bits of the fractional parts of roots of primes.
const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((p) => n % p)) PRIMES.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const K = Int32Array.from(PRIMES, (p) => fraction(Math.cbrt(p)));
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (p) => fraction(Math.sqrt(p)));

/** Bytes as hexadecimal digits. */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** SHA-256 of a stream: accepts bytes by `update`, and ends with `hex`. */
export function sha256() {
  const hash = createHash?.('sha256');
  if (!hash) return new Sha256();
  const stream = { update: (u8) => (hash.update(u8), stream), hex: () => hash.digest('hex') };
  return stream;
}

/** The same in JavaScript alone, for browsers. */
export class Sha256 {
  constructor() {
    this.h = INITIAL.slice();
    this.block = new Uint8Array(64);
    this.view = new DataView(this.block.buffer);
    this.w = new Int32Array(64);
    this.length = 0;
  }

  /** @param {Uint8Array} u8 */
  update(u8) {
    for (let i = 0; i < u8.length; ) {
      const at = this.length % 64, n = Math.min(64 - at, u8.length - i);
      this.block.set(n === u8.length ? u8 : u8.subarray(i, i + n), at);
      this.length += n;
      i += n;
      if (at + n === 64) this.#compress();
    }
    return this;
  }

  /** The digest as 64 hexadecimal digits; ends the stream. */
  hex() {
    const bits = this.length * 8;
    this.update(Uint8Array.of(0x80)).update(new Uint8Array((120 - (this.length % 64)) % 64));
    this.view.setUint32(56, Math.floor(bits / 2 ** 32));
    this.view.setUint32(60, bits >>> 0);
    this.#compress();
    return Array.from(this.h, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #compress() {
    const { w, h } = this;
    for (let i = 0; i < 16; i++) w[i] = this.view.getInt32(i * 4);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15], y = w[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, i] = h;
    for (let r = 0; r < 64; r++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t1 = (i + s1 + ((e & f) ^ (~e & g)) + K[r] + w[r]) | 0;
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      i = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, i].forEach((word, n) => { h[n] += word; });
  }
}
