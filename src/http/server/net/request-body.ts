import { errors } from "../../errors.ts";
import { ChunkList, mergedChunkBytes } from "../../../core/index.ts";
import { Arrival, type BodyLimits, type NextChunk } from "../body.ts";
import { BodyCollector } from "../body-collector.ts";

const empty: Uint8Array = new Uint8Array(0);

/** Bytes of a body that were received and not read yet. */
export class RequestBody {
  /** True once the last byte was received. */
  isComplete = false;
  /** True once the last byte was read. */
  isRead = false;
  /** True once reading has stopped, because the body is larger or slower than the limits. */
  isAborted = false;
  #isDiscarded = false;
  /** Error that ended the body early: the client has disconnected, or has sent too many tiny chunks. */
  #failure: Error | undefined;
  // Most bodies arrive in one chunk.
  #first: Uint8Array = empty;
  #chunks: ChunkList | undefined;
  #arrival: Arrival | undefined;
  /** Called when bytes, the end or a failure can be read. */
  #onReadable: (() => void) | undefined;
  readonly #onRead: () => void;

  /** @param onRead called when received bytes were read, so that more can be received */
  constructor(onRead: () => void) {
    this.#onRead = onRead;
  }

  /** True if no more should be received for now. */
  get isFull(): boolean {
    return this.#size >= mergedChunkBytes;
  }

  get #size(): number {
    return this.#chunks?.size ?? this.#first.length;
  }

  /** Copies received bytes. */
  receive(bytes: Buffer, start: number, end: number): void {
    if (this.#isDiscarded || this.#failure !== undefined) return;
    const chunk = bytes.subarray(start, end);
    if (this.#chunks === undefined && this.#first.length === 0 && this.#arrival === undefined) {
      this.#first = Buffer.from(chunk);
      this.#arrival = new Arrival();
      this.#arrival.isFragmentedBy(chunk);
      return;
    }
    if (this.#arrival?.isFragmentedBy(chunk) === true) return this.#fail(errors.E_BODY_FRAGMENTED());
    if (this.#chunks === undefined) {
      this.#chunks = new ChunkList();
      if (this.#first.length > 0) this.#chunks.append(this.#first);
      this.#first = empty;
    }
    this.#chunks.appendCopy(chunk);
  }

  /** Lets the reader know of what was received. */
  notify(): void {
    this.#onReadable?.();
  }

  /** Ends the body before its last byte. */
  disconnect(): void {
    if (!this.isComplete && this.#failure === undefined) this.#fail(errors.E_CLIENT_GONE());
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#onReadable?.();
  }

  /** Discards what was received and what follows. */
  discard(): void {
    this.#isDiscarded = true;
    this.#takeAll();
  }

  /** Reads the whole body. */
  readAll(limits: BodyLimits): Promise<Uint8Array> {
    if (this.isComplete && this.#failure === undefined && this.#size <= limits.maxBytes) {
      return Promise.resolve(this.#takeAll());
    }
    return new Promise((resolve, reject) => {
      const collector = new BodyCollector(limits, (result) => {
        this.#onReadable = undefined;
        if (!(result instanceof Error)) return resolve(result);
        this.isAborted = true;
        reject(result);
      });
      const read = (): void => {
        if (this.#failure !== undefined) return collector.fail(this.#failure);
        while (this.#size > 0 && !collector.isSettled) collector.add(this.#take());
        if (!this.isComplete || collector.isSettled) return;
        this.isRead = true;
        collector.end();
      };
      this.#onReadable = read;
      read();
    });
  }

  /** Returns a reader of the body's chunks. */
  get nextChunk(): NextChunk {
    return () =>
      new Promise((resolve, reject) => {
        const read = (): void => {
          if (this.#failure === undefined && this.#size === 0 && !this.isComplete) return;
          this.#onReadable = undefined;
          if (this.#failure !== undefined) reject(this.#failure);
          else resolve(this.#size > 0 ? this.#take() : this.#end());
        };
        this.#onReadable = read;
        read();
      });
  }

  #end(): undefined {
    this.isRead = true;
  }

  #take(): Uint8Array {
    return this.#read(this.#chunks?.shift() ?? this.#first);
  }

  #takeAll(): Uint8Array {
    return this.#read(this.#chunks?.join() ?? this.#first);
  }

  #read(bytes: Uint8Array): Uint8Array {
    this.#first = empty;
    this.isRead = this.isComplete && this.#size === 0;
    this.#onRead();
    return bytes;
  }
}
