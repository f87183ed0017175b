import { Time, TimeInternals } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { ChunkBuffer, mergedChunkBytes } from "../../core/index.ts";
import { type BodyLimits, slowLineAllowanceMs } from "./body.ts";

/** Collects the chunks of a body that is read completely, within its limits of size and time. */
export class BodyCollector {
  readonly #limits: BodyLimits;
  readonly #onSettled: (result: Uint8Array | Error) => void;
  // Chunks are joined once: one growing buffer takes four times the memory, and V8 collects garbage as often.
  readonly #largeChunks: Buffer[] = [];
  readonly #smallChunks = new ChunkBuffer();
  readonly #startMs = Time.monotonic();
  #size = 0;
  #cancelTimer: () => void;

  /** @param onSettled called once with the body, or with E_BODY_TOO_LARGE, E_BODY_TIMEOUT or the error of `fail` */
  constructor(limits: BodyLimits, onSettled: (result: Uint8Array | Error) => void) {
    this.#limits = limits;
    this.#onSettled = onSettled;
    this.#cancelTimer = TimeInternals.after(Math.min(limits.timeoutMs, limits.totalTimeoutMs), () => this.#onTimeout());
  }

  /** Adds a chunk. Its bytes must not change afterwards. */
  add(chunk: Buffer): void {
    const { maxBytes } = this.#limits;
    if ((this.#size += chunk.length) > maxBytes) return this.fail(errors.E_BODY_TOO_LARGE(maxBytes));
    if (chunk.length >= mergedChunkBytes / 4) this.#largeChunks.push(this.#smallChunks.consume(), chunk);
    else {
      this.#smallChunks.append(chunk);
      if (this.#smallChunks.size >= mergedChunkBytes) this.#largeChunks.push(this.#smallChunks.consume());
    }
  }

  /** Ends the body. */
  end(): void {
    const rest = this.#smallChunks.bytes;
    this.#settle(this.#largeChunks.length === 0 ? rest : Buffer.concat([...this.#largeChunks, rest]));
  }

  fail(error: Error): void {
    this.#settle(error);
  }

  #settle(result: Uint8Array | Error): void {
    this.#cancelTimer();
    this.#onSettled(result);
  }

  #onTimeout(): void {
    const { timeoutMs, totalTimeoutMs } = this.#limits;
    const allowedMs = Math.min(timeoutMs + slowLineAllowanceMs(this.#size), totalTimeoutMs);
    const remainingMs = this.#startMs + allowedMs - Time.monotonic();
    if (remainingMs > 0) this.#cancelTimer = TimeInternals.after(remainingMs, () => this.#onTimeout());
    else this.fail(errors.E_BODY_TIMEOUT());
  }
}
