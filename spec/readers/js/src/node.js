// Files in Node: a lookup reads only the blocks that it touches.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Bytes } from './checksums.js';
import { open } from './document.js';

export * from './document.js';

/**
 * Opens a file. Memory of its length is reserved and not cleared: the system provides only what is
 * read. The file stays open until `close()`, and must not change until then.
 */
export function openFile(path, options = {}) {
  // Otherwise a pipe would make the caller wait for a writer.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(fd);
    const refusal = { code: 'EINVAL', syscall: 'open' };
    if (!status.isFile()) throw Object.assign(new Error('not a regular file'), refusal);
    const u8 = new Uint8Array(Buffer.allocUnsafeSlow(status.size).buffer);
    const bytes = new Bytes(u8, (start, end) => {
      for (let at = start; at < end; ) {
        const n = readSync(fd, u8, at, end - at, at);
        if (n === 0) throw new Error(`${path} became shorter while it was read`);
        at += n;
        bytes.bytesRead += n;
      }
    });
    bytes.bytesRead = 0;
    const document = open(bytes, options);
    document.close = () => closeSync(fd);
    document.bytesRead = () => bytes.bytesRead;
    return document;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
