import { Time, TimeInternals } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { ChunkList } from "../../core/index.ts";
import { type BodyLimits, slowLineAllowanceMs } from "./body.ts";

/** Collects the chunks of a body that is read completely, within its limits of size and time. */
export class BodyCollector {
  /** True once the body is complete or has failed. Further calls have no effect. */
  isSettled = false;
  readonly #limits: BodyLimits;
  readonly #onSettled: (result: Uint8Array | Error) => void;
  readonly #chunks = new ChunkList();
  readonly #startMs = Time.monotonic();
  #cancelTimer: () => void;

  /** @param onSettled called once with the body, or with E_BODY_TOO_LARGE, E_BODY_TIMEOUT or the error of `fail` */
  constructor(limits: BodyLimits, onSettled: (result: Uint8Array | Error) => void) {
    this.#limits = limits;
    this.#onSettled = onSettled;
    this.#cancelTimer = TimeInternals.after(Math.min(limits.timeoutMs, limits.totalTimeoutMs), () => this.#onTimeout());
  }

  /** Adds a chunk. Its bytes must not change afterwards. */
  add(chunk: Uint8Array): void {
    const { maxBytes } = this.#limits;
    if (this.isSettled) return;
    this.#chunks.append(chunk);
    if (this.#chunks.size > maxBytes) this.fail(errors.E_BODY_TOO_LARGE(maxBytes));
  }

  /** Ends the body. */
  end(): void {
    if (!this.isSettled) this.#settle(this.#chunks.join());
  }

  fail(error: Error): void {
    if (!this.isSettled) this.#settle(error);
  }

  #settle(result: Uint8Array | Error): void {
    this.isSettled = true;
    this.#cancelTimer();
    this.#onSettled(result);
  }

  #onTimeout(): void {
    const { timeoutMs, totalTimeoutMs } = this.#limits;
    const allowedMs = Math.min(timeoutMs + slowLineAllowanceMs(this.#chunks.size), totalTimeoutMs);
    const remainingMs = this.#startMs + allowedMs - Time.monotonic();
    if (remainingMs > 0) this.#cancelTimer = TimeInternals.after(remainingMs, () => this.#onTimeout());
    else this.fail(errors.E_BODY_TIMEOUT());
  }
}
