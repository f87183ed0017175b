/** Chunks of a body that is made while it is sent. Text is sent as UTF-8. */
export type StreamBody =
  | ReadableStream<Uint8Array>
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>;

/** What a response can carry. */
export type ResponseBody = undefined | string | Uint8Array | FileBody | StreamBody;

/** The part of a file that is sent. */
export interface FileRange {
  /** The first byte. Default 0. */
  readonly start?: number;
  /** How many bytes. Default: all that follow. */
  readonly length?: number;
}

/** A file that is opened when the response is sent, unless its bytes are in memory. */
export class FileBody {
  readonly path: string;
  readonly start: number;
  /** How many bytes, or `undefined` for all that follow `start`. */
  readonly length: number | undefined;
  /** What is sent, if it is in memory. */
  readonly bytes: Uint8Array | undefined;
  /** Takes what was read, all in one piece, for others who ask soon. */
  readonly keep: ((bytes: Uint8Array) => void) | undefined;

  constructor(path: string, { start = 0, length, bytes, keep }: FileRange & FileMemory = {}) {
    this.path = path;
    this.start = start;
    this.length = length;
    this.bytes = bytes;
    this.keep = keep;
  }
}

/** What is in memory of a file, or may be. */
export interface FileMemory {
  readonly bytes?: Uint8Array | undefined;
  readonly keep?: ((bytes: Uint8Array) => void) | undefined;
}
