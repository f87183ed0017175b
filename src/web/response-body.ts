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

/** A file that is opened when the response is sent. */
export class FileBody {
  readonly path: string;
  readonly start: number;
  /** How many bytes, or `undefined` for all that follow `start`. */
  readonly length: number | undefined;

  constructor(path: string, { start = 0, length }: FileRange = {}) {
    this.path = path;
    this.start = start;
    this.length = length;
  }
}
