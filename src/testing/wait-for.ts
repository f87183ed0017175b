import { inspect } from "node:util";
import { type LimmatError, messageOf } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Options of `waitFor`. A `TestContext` of node:test fits, because it has a signal. */
export interface WaitForOptions {
  /** Ends the wait. `t.signal` of node:test aborts when the test ends, and at its time limit. */
  readonly signal?: AbortSignal;
  /** Events after which the condition is checked at once: `[[child, "exit"], [socket, "data"]]`. */
  readonly events?: readonly WaitForEvent[];
  /**
   * Time limit in ms of real time. Default: 120,000. It only ends a wait that would never end, so do not make it shorter to
   * test how long something takes.
   */
  readonly timeoutMs?: number;
}

/** Source and name of an event. */
type WaitForEvent = readonly [target: NodeJS.EventEmitter | EventTarget, name: string];

/** Type without its falsy values: `Row | undefined` becomes `Row`. */
type Truthy<T> = Exclude<T, false | 0 | 0n | "" | null | undefined>;

/** Result of a check. `undefined` if it had not settled when the wait ended. */
type Outcome = { readonly value: unknown } | { readonly error: unknown } | undefined;

// Read once, when the module loads: `mock.timers` of node:test replaces the global functions later.
const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;

/** Number of pauses of one turn of the event loop, before pauses of 1, 2, 4 … ms. */
const immediatePauses = 8;
const maxPauseMs = 25;

const unsettled: unique symbol = Symbol("unsettled");

/**
 * Waits until a condition returns a truthy value, and returns that value. A condition that throws or rejects is not met
 * yet. It is checked immediately, then after each of the `events`, and after pauses of at most 25 ms. The pauses are in real
 * time: neither `fakeClock` nor `mock.timers` of node:test stops them.
 *
 * To wait until an assertion passes, return true after it.
 *
 * @throws E_TEST_WAIT with the last value or error of the condition, at the time limit and when the signal aborts.
 * @example
 * await waitFor(() => lines.length === 2, t);
 * const row = await waitFor(() => findRow(), { signal: t.signal, events: [[child, "exit"]] });
 */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitForOptions = {}): Promise<Truthy<T>> {
  using wait = new Wait(options);
  let previous: Outcome;
  for (let checks = 0; ; checks++) {
    const outcome = await check(condition, wait.interrupted);
    if (outcome !== undefined && "value" in outcome && outcome.value) return outcome.value as Truthy<T>;
    if (wait.endReason !== undefined) throw waitError(wait.endReason, outcome, previous, options.signal);
    previous = outcome;
    await wait.pause(checks);
  }
}

/** Checks the condition once. Never rejects. */
async function check(condition: () => unknown, interrupted: Promise<typeof unsettled>): Promise<Outcome> {
  try {
    // If both promises are settled, the first one wins: a synchronous condition that is met in the end counts.
    const value = await Promise.race([condition(), interrupted]);
    return value === unsettled ? undefined : { value };
  } catch (error) {
    return { error };
  }
}

const maxShownLength = 1000;

/** Creates the error of a wait from its last two checks. */
function waitError(reason: string, outcome: Outcome, previous: Outcome, signal: AbortSignal | undefined): LimmatError {
  const seen = outcome ?? previous;
  const parts = outcome === undefined ? ["The last check did not settle."] : [];
  if (seen !== undefined) {
    const text = "error" in seen ? messageOf(seen.error) : inspect(seen.value, { maxStringLength: maxShownLength });
    const shown = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
    parts.push(`${"error" in seen ? "Last error" : "Last value"}: ${shown}`);
  }
  const error = errors.E_TEST_WAIT(reason, parts.join(" "));
  if (seen !== undefined && "error" in seen) return error.causedBy(seen.error);
  return signal?.aborted === true ? error.causedBy(signal.reason) : error;
}

/** Time limit, signal and listeners of a wait, until it is disposed. */
class Wait implements Disposable {
  /** Resolves when the wait has to end. */
  readonly interrupted: Promise<typeof unsettled>;
  /** Reason why the wait has to end, for the message. */
  endReason: string | undefined;
  #wake = (): void => {};
  readonly #resources = new DisposableStack();

  constructor({ signal, events = [], timeoutMs = 120_000 }: WaitForOptions) {
    const { promise, resolve } = Promise.withResolvers<typeof unsettled>();
    this.interrupted = promise;
    const end = (reason: string): void => {
      this.endReason ??= reason;
      resolve(unsettled);
      this.#wake();
    };
    const limit = setTimeout(() => end(`within ${timeoutMs} ms`), timeoutMs);
    this.#resources.defer(() => clearTimeout(limit));
    for (const [target, name] of events) this.#listen(target, name, () => this.#wake());
    if (signal === undefined) return;
    const abort = (): void => end("before its signal aborted");
    if (signal.aborted) abort();
    else this.#listen(signal, "abort", abort);
  }

  #listen(target: NodeJS.EventEmitter | EventTarget, name: string, listener: () => void): void {
    if (target instanceof EventTarget) {
      target.addEventListener(name, listener);
      this.#resources.defer(() => target.removeEventListener(name, listener));
    } else {
      target.on(name, listener);
      this.#resources.defer(() => void target.off(name, listener));
    }
  }

  /** Waits for an event, for the end of the wait, and at most for the pause after a number of checks. */
  async pause(checks: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (checks < immediatePauses) {
      const immediate = setImmediate(resolve);
      await promise;
      clearImmediate(immediate);
    } else {
      const timer = setTimeout(resolve, Math.min(2 ** (checks - immediatePauses), maxPauseMs));
      await promise;
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    this.#resources.dispose();
  }
}
