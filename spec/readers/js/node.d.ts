import type { Document, OpenOptions, SourceText } from './index.js';

export * from './index.js';

export interface OpenFile {
  /** Closes the file; what was not read by then can no longer be read. */
  close(): void;
  bytesRead(): number;
}

/** Opens a file and reads of it what is used. It must not change before `close()`. */
export function openFile(path: string, options?: OpenOptions): (Document | SourceText) & OpenFile;
