import type { ContextOptions, Service } from "../../core/index.ts";

/** Metadata of a stored file. */
export interface StoredFile {
  /** UUID of the file: the only value that an application must keep. */
  readonly id: string;
  /** Name given by the owner: one line, without folders. For display only; no file is ever looked up by it. */
  readonly filename: string;
  /** Size of the content, in bytes, as counted. */
  readonly size: number;
  /** Media type given by the owner. It is not verified: see `Storage.Web.file`. */
  readonly contentType: string;
  /** SHA-256 of the content, in hexadecimal. */
  readonly checksum: string;
  readonly created_at: Date;
}

/** Content of a file. Text is stored as UTF-8. A stream, such as a request body, is never in memory as a whole. */
export type StorageContent = Uint8Array | string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** Options of `StorageService.put`. */
export interface PutOptions extends ContextOptions {
  /**
   * Name of the file. Only the last part of a path is stored, without control characters, at most 200 characters. Default:
   * the `filename` of the content, or `file`.
   */
  readonly filename?: string;
  /** Media type. Default: the `contentType` of the content. A missing or invalid type becomes `application/octet-stream`. */
  readonly contentType?: string;
  /** UUID, for a file imported with its id. Default: a new one. */
  readonly id?: string;
}

/** Range of a content to read. */
export interface ReadOptions extends ContextOptions {
  /** Offset of the first byte. Default 0. */
  readonly start?: number;
  /** Number of bytes. Default: all that follow. */
  readonly length?: number;
}

/**
 * Stores files.
 *
 * A file is immutable: another content is another file. It becomes visible, complete, when `put` has ended. A `put` that
 * fails or is interrupted leaves nothing. An invalid id, such as one from a manipulated URL, is unknown to every operation
 * and reaches neither disk nor database. Files in a database are part of the surrounding transaction.
 */
export interface StorageService extends Service.Service {
  /**
   * Stores a content and returns the metadata of the file. A `filename` and `contentType` of the content, such as an
   * uploaded file has, are the defaults of the options.
   *
   * @throws E_STORAGE_ID for an `id` that is not a UUID or is in use, and errors from reading the content.
   */
  put(content: StorageContent, options?: PutOptions): Promise<StoredFile>;
  /** Returns the metadata of a file. @throws E_STORAGE_NOT_FOUND */
  find(id: string, options?: ContextOptions): Promise<StoredFile>;
  /** Returns the metadata of a file, or `undefined`. */
  findOpt(id: string, options?: ContextOptions): Promise<StoredFile | undefined>;
  /**
   * Reads the content of a file, or a range of it, in chunks of at most 256 KiB. Each chunk is read on demand.
   *
   * @throws E_STORAGE_NOT_FOUND before the first chunk, or later if the file is deleted while it is read.
   */
  read(id: string, options?: ReadOptions): AsyncIterable<Uint8Array>;
  /** Reads the whole content into memory. @throws E_STORAGE_NOT_FOUND */
  readAll(id: string, options?: ContextOptions): Promise<Uint8Array>;
  /** Deletes a file. Returns false if there is none, so a repeated call is harmless. */
  delete(id: string, options?: ContextOptions): Promise<boolean>;
  /** Lists all files in unspecified order: to copy them, or to find unused ones. */
  list(options?: ContextOptions): AsyncIterable<StoredFile>;
}
