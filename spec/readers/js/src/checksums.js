// §7 Checksums, and which parts of a file are in memory.
import { need } from './errors.js';
import { crc32 } from './hashes.js';

const PAGE = 4096; // what is read of a file at least

/**
 * The bytes of a file. Only those that were touched need be present and checked (§7.2). A file that
 * is read in ranges begins as memory of its length. `fill` writes it piece by piece, and other
 * bytes of it are never read.
 */
export class Bytes {
  /**
   * @param {Uint8Array} u8
   * @param {(start: number, end: number) => void} [fill] reads that range of the file into `u8`
   */
  constructor(u8, fill) {
    this.u8 = u8;
    this.size = u8.length;
    this.view = new DataView(u8.buffer, u8.byteOffset, u8.byteLength);
    this.fill = fill;
    this.pages = new Uint8Array(Math.ceil(this.size / PAGE)); // 1: present
    this.block = PAGE; // the block size, §7.2
    this.ready = new Uint8Array(this.pages.length); // of each block, 1: it may be used
    this.whole = !fill; // nothing is left to load or to check
    this.longer = Infinity; // §3.3: where the first form longer than needed was read, for `verify`
  }

  /**
   * Makes [start, end) usable: present, and equal to its checksums once the block table is known.
   */
  touch(start, end) {
    if (this.whole) return;
    const { block } = this;
    for (let k = Math.floor(start / block), last = Math.floor((end - 1) / block); k <= last; k++) {
      if (!this.ready[k]) this.#bring(k);
    }
  }

  /** Loads a long range with one read; its blocks are still checked one by one. */
  load(start, end) {
    this.#present(start, end);
    this.touch(start, end);
  }

  /** §7.2: compares blocks from here on. Block table and root table are at `content` and `root`. */
  protect(content, root, block) {
    Object.assign(this, { content, root, block, whole: false });
    this.ready = new Uint8Array(Math.ceil(this.size / block));
    this.tableReady = new Uint8Array(Math.ceil((root - content) / block));
  }

  u16(offset) { return this.view.getUint16(offset, true); }
  u32(offset) { return this.view.getUint32(offset, true); }
  u64(offset) { return this.u32(offset) + this.u32(offset + 4) * 2 ** 32; } // beyond 2^53 it is out of range

  #bring(k) {
    const { block, content } = this, start = k * block, end = start + block;
    this.#present(start, end);
    if (start < content) this.#compare(start, Math.min(end, content), this.#entry(k));
    this.ready[k] = 1;
  }

  /** Entry `k` of the block table, whose own block is compared with the root table first. */
  #entry(k) {
    const { block } = this, inTable = Math.floor((k * 4) / block), start = this.content + inTable * block;
    if (!this.tableReady[inTable]) {
      const end = Math.min(start + block, this.root);
      this.#present(start, end);
      this.#compare(start, end, this.u32(this.root + inTable * 4));
      this.tableReady[inTable] = 1;
    }
    return this.u32(this.content + k * 4);
  }

  /** Fills the pages that [start, end) touches, if one of them is missing. */
  #present(start, end) {
    const first = Math.floor(start / PAGE), last = Math.ceil(Math.min(end, this.size) / PAGE);
    if (!this.fill || !this.pages.subarray(first, last).includes(0)) return;
    this.fill(first * PAGE, Math.min(last * PAGE, this.size));
    this.pages.fill(1, first, last);
  }

  #compare(start, end, expected) {
    const found = crc32(this.u8, start, end);
    need(found === expected, 'SUM-MISMATCH', start, 'the block that begins here');
  }
}
