import { error as failed, errorText, type Result } from "../../../core/index.ts";
import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { JobDefinition, JobRecord } from "../contract.ts";
import type { JobOutcome, Lease } from "../store/contract.ts";

/** Result of an attempt. */
export type AttemptResult = Result<undefined, FailedAttempt>;

/** Error of a failed attempt. */
export interface FailedAttempt {
  readonly error: unknown;
  /** Text of the error that is stored. */
  readonly text: string;
  /** True if the job must not be retried. */
  readonly isFinal: boolean;
}

const defaultRetryDelayMs = Time.minutes(1);
const maxRetryDelayMs = Time.days(1);
/** Maximum length of the stored text of an error, in characters. */
export const maxErrorLength = 4000;

/** Returns the outcome of an attempt: success, a retry or a permanent failure. */
export function outcomeOf(
  lease: Lease,
  { attempts, max_attempts }: JobRecord,
  definition: JobDefinition,
  result: AttemptResult,
): JobOutcome {
  if (result.ok) return { ...lease, outcome: "succeeded" };
  const { text: error, isFinal } = result.error;
  if (isFinal || attempts >= max_attempts) return { ...lease, outcome: "failed", error };
  const delayMs = retryDelayMs(definition.retryDelayMs ?? defaultRetryDelayMs, attempts);
  return { ...lease, outcome: "retried", error, next_run_at: new Date(TimeInternals.timestamp() + delayMs) };
}

/**
 * Returns a failed result. A thrown value whose text cannot be read is replaced by an error: no value may keep a worker from
 * recording the outcome.
 */
export function failedAttempt(thrown: unknown, isFinal: boolean): Result<never, FailedAttempt> {
  try {
    return failed({ error: thrown, text: errorText(thrown, maxErrorLength), isFinal });
  } catch {
    const unreadable = new Error("A value was thrown that cannot be read");
    return failed({ error: unreadable, text: errorText(unreadable, maxErrorLength), isFinal });
  }
}

/** Returns the delay before the next attempt; see `JobDefinition.retryDelayMs`. */
function retryDelayMs(baseMs: number, attempts: number): number {
  // Without a bound on the exponent, the power becomes Infinity, and 0 times Infinity is NaN.
  const doubledMs = baseMs * 2 ** Math.min(attempts - 1, 1000);
  const delayMs = Math.max(baseMs, Math.min(doubledMs, maxRetryDelayMs));
  return delayMs + Random.int(0, Math.floor(delayMs / 4));
}
