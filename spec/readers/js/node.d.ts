import type { Document, OpenOptions, SourceText } from './index.js';

export * from './index.js';

export interface OpenFile {
  /** Closes the file. Parts that were not read before can no longer be read. */
  close(): void;
  bytesRead(): number;
}

/** Opens a file and reads the parts that are used. The file must not change before `close()`. */
export function openFile(path: string, options?: OpenOptions): (Document | SourceText) & OpenFile;
