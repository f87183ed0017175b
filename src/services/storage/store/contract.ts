import type { CancellableOptions, ContextOptions } from "../../../core/index.ts";
import type { StoredFile } from "../contract.ts";

/** Storage backend. Ids are UUIDs in lower case, chunks at most 256 KiB. */
export interface StorageStore {
  /** Begins a file. Rejects with E_STORAGE_ID if the id is in use. */
  begin(file: NewFile, options: ContextOptions): Promise<FileWriter>;
  findOpt(id: string, options: ContextOptions): Promise<StoredFile | undefined>;
  /** Reads `length` bytes from `start` on. The range lies within the file. */
  read(file: StoredFile, start: number, length: number, options: ContextOptions): AsyncIterable<Uint8Array>;
  delete(id: string, options: ContextOptions): Promise<boolean>;
  list(options: ContextOptions): AsyncIterable<StoredFile>;
}

/** Store that outlives its process, and with it the parts of an upload whose process is killed. */
export interface PersistentStore extends StorageStore {
  /** Deletes incomplete uploads that began, or were last written, before a point in time. */
  purge(before: Date, options: CancellableOptions): Promise<void>;
}

/** Metadata of a file before its content is written. */
export type NewFile = Omit<StoredFile, "size" | "checksum">;

/** Writer of one file. */
export interface FileWriter {
  /** Writes a chunk. All chunks but the last have 256 KiB. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the file visible to readers. */
  commit(file: StoredFile): Promise<void>;
  /** Deletes all chunks written so far. */
  abort(): Promise<void>;
}
