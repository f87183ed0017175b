import { inspect } from "node:util";
import { error as failed, type Result } from "../../core/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { Instance, Job } from "./contract.ts";
import type { Held, Settlement } from "./store.ts";

/** How a try ended. */
export type Ended = Result<undefined, FailedTry>;

/** Why a try failed. */
export interface FailedTry {
  readonly error: unknown;
  /** What is kept of the error. */
  readonly text: string;
  /** Whether another try would be in vain. */
  readonly isFinal: boolean;
}

const standardDelay = Time.minutes(1);
const longestDelay = Time.days(1);
const longestError = 4000;

/** What becomes of an instance after a try. */
export function settlementOf(held: Held, { tries, max_tries }: Instance, job: Job, ended: Ended): Settlement {
  if (ended.ok) return { ...held, to: "succeeded" };
  const { text: error, isFinal } = ended.error;
  if (isFinal || tries >= max_tries) return { ...held, to: "failed", error };
  const at = new Date(Time.timestamp() + retryDelay(job.retryDelay ?? standardDelay, tries));
  return { ...held, to: "pending", error, at };
}

/**
 * A failed try. Anything can be thrown, even what throws itself when it is looked at: that is replaced here, once for
 * all, because no job may keep its worker from writing down how it ended.
 */
export function failedTry(thrown: unknown, isFinal: boolean): Result<never, FailedTry> {
  try {
    return failed({ error: thrown, text: textOf(thrown), isFinal });
  } catch {
    const unreadable = new Error("Something was thrown that cannot be read");
    return failed({ error: unreadable, text: textOf(unreadable), isFinal });
  }
}

/**
 * Milliseconds before the next try: doubled with each one, at most a day, and up to a quarter longer, so that what
 * failed together is not tried together.
 */
export function retryDelay(base: number, tries: number): number {
  // Without a bound, the power would become Infinity one day, and 0 times that is no number.
  const doubled = base * 2 ** Math.min(tries - 1, 1000);
  const delay = Math.max(base, Math.min(doubled, longestDelay));
  return delay + Random.int(0, Math.floor(delay / 4));
}

/** What is kept of an error: its code, message and causes. Stacks are for the log. */
export function textOf(error: unknown): string {
  // What no text of a database can hold is replaced.
  return describe(error, 0).slice(0, longestError).replaceAll("\0", "\uFFFD").toWellFormed();
}

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : inspect(error);
  const { code } = error as { readonly code?: unknown };
  const head = `${typeof code === "string" ? code : error.name}: ${error.message}`;
  return error.cause === undefined || depth > 4 ? head : `${head}\nCaused by ${describe(error.cause, depth + 1)}`;
}
