import type { ContextOptions, Service } from "../../core/index.ts";

/** A file that is kept: everything but its content. */
export interface StoredFile {
  /** A UUID: the only thing that an application has to remember. */
  readonly id: string;
  /** What its owner calls it: one line, without folders. For people; nothing is ever looked for under it. */
  readonly filename: string;
  /** Bytes, as they were counted. */
  readonly size: number;
  /** What its owner says it is. That it is true is not certain: see `Storage.Web.file`. */
  readonly contentType: string;
  /** SHA-256 of the content, in hexadecimal. */
  readonly checksum: string;
  readonly created_at: Date;
}

/** A content: text is kept as UTF-8. What comes in parts, such as the body of a request, is never in memory as a whole. */
export type StorageBody = Uint8Array | string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** What a content may say of itself, as an uploaded file does: `storage.put(file)`. */
export interface NamedContent {
  readonly filename?: string;
  readonly contentType?: string;
}

/** How a file is kept. */
export interface PutOptions extends ContextOptions {
  /**
   * What its owner calls it. Of a path the last part is kept, without control characters, at most 200 characters.
   * Default: the `filename` of the content, or `file`.
   */
  readonly filename?: string;
  /** The media type. Default: the `contentType` of the content; without one, and in place of what is none, `application/octet-stream`. */
  readonly contentType?: string;
  /** The id, for files that come from elsewhere with theirs. Default: a new one. */
  readonly id?: string;
}

/** Which part of a content is read. */
export interface ReadOptions extends ContextOptions {
  /** The first byte. Default 0. */
  readonly start?: number;
  /** How many bytes. Default: all that follow. */
  readonly length?: number;
}

/**
 * Keeps files.
 *
 * A file never changes: another content is another file. It is there when `put` has ended, whole, and before that for
 * nobody; a `put` that fails or is cut off leaves nothing. An id that is none, such as anything out of an address, is
 * unknown to every operation and reaches neither disk nor database. Files in a database are part of the transaction
 * around an operation.
 */
export interface StorageService extends Service.Service {
  /**
   * Keeps a content to its end and gives what is known of it. A content that has a `filename` and a `contentType`, as an
   * uploaded file has, is kept under these.
   *
   * @throws E_STORAGE_ID for an `id` that is no UUID or is taken, and what the content throws while it is read.
   */
  put(body: StorageBody, options?: PutOptions): Promise<StoredFile>;
  /** What is known of a file. @throws E_STORAGE_NOT_FOUND */
  find(id: string, options?: ContextOptions): Promise<StoredFile>;
  /** What is known of a file, or `undefined`. */
  findOpt(id: string, options?: ContextOptions): Promise<StoredFile | undefined>;
  /**
   * The content of a file, or a part of it, in pieces of at most 256 KiB, each read when it is asked for.
   *
   * @throws E_STORAGE_NOT_FOUND before the first piece, or in the middle when the file is deleted meanwhile.
   */
  read(id: string, options?: ReadOptions): AsyncIterable<Uint8Array>;
  /** The whole content, in memory. @throws E_STORAGE_NOT_FOUND */
  readAll(id: string, options?: ContextOptions): Promise<Uint8Array>;
  /** Deletes a file; false when there is none, so that a second call does no harm. */
  delete(id: string, options?: ContextOptions): Promise<boolean>;
  /** All files, in no order that means anything: to copy them elsewhere, or to find those that nobody needs any more. */
  list(options?: ContextOptions): AsyncIterable<StoredFile>;
}

/** Where a storage keeps its files. Ids are UUIDs in lower case, pieces at most 256 KiB. */
export interface StorageStore {
  /** Begins a file. Rejects with E_STORAGE_ID when the id is taken. */
  begin(file: NewFile, options: ContextOptions): Promise<FileWriter>;
  findOpt(id: string, options: ContextOptions): Promise<StoredFile | undefined>;
  /** `length` bytes from `start` on, which lie within the file. */
  read(file: StoredFile, start: number, length: number, options: ContextOptions): AsyncIterable<Uint8Array>;
  delete(id: string, options: ContextOptions): Promise<boolean>;
  list(options: ContextOptions): AsyncIterable<StoredFile>;
}

/** What is known of a file before its content. */
export type NewFile = Omit<StoredFile, "size" | "checksum">;

/** A file that is being written. */
export interface FileWriter {
  /** All but the last piece are of 256 KiB. */
  write(piece: Uint8Array): Promise<void>;
  /** Makes the file exist. */
  commit(file: StoredFile): Promise<void>;
  /** Deletes what was written. */
  abort(): Promise<void>;
}
