/** Body that is generated while it is sent. Text is sent as UTF-8. */
export type StreamBody =
  | ReadableStream<Uint8Array>
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>;

/** Body of a response. */
export type ResponseBody = undefined | string | Uint8Array | FileBody | StreamBody;

/** Range of a file that is sent. */
export interface FileRange {
  /** Offset of the first byte. Default 0. */
  readonly start?: number;
  /** Length in bytes. Default: up to the end of the file. */
  readonly length?: number;
}

/** File body. The file is opened when the response is sent, unless its bytes are in memory. */
export class FileBody {
  readonly path: string;
  readonly start: number;
  /** Length in bytes; `undefined` up to the end of the file. */
  readonly length: number | undefined;
  /** Bytes to send, if they are in memory. */
  readonly bytes: Uint8Array | undefined;
  /** Called with the bytes of a file that was read in one piece, so that a cache can store them. */
  readonly onRead: ((bytes: Uint8Array) => void) | undefined;

  constructor(path: string, { start = 0, length, bytes, onRead }: FileRange & FileCache = {}) {
    this.path = path;
    this.start = start;
    this.length = length;
    this.bytes = bytes;
    this.onRead = onRead;
  }
}

/** Cached bytes of a file, and the callback that fills the cache. */
export interface FileCache {
  readonly bytes?: Uint8Array | undefined;
  readonly onRead?: ((bytes: Uint8Array) => void) | undefined;
}
