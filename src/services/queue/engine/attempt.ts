import { error as failed, errorText, ok, type Result } from "../../../core/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import { Log } from "../../../log/index.ts";
import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { HandlerResult, JobDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ClaimedJob, JobOutcome, Lease, LogFields } from "../store/contract.ts";
import { decodeInput } from "./payload.ts";

/** Result of an attempt. */
export type AttemptResult = Result<undefined, FailedAttempt>;

/** Error of a failed attempt. */
interface FailedAttempt {
  readonly error: unknown;
  /** Text of the error that is stored. */
  readonly text: string;
  /** True if the job must not be retried. */
  readonly isFinal: boolean;
}

/** Time that a `handle` has to end after its signal was aborted, in milliseconds. */
export const abortGraceMs: number = Time.seconds(1);

/** Running attempt of a job in this process. */
export interface Attempt {
  readonly claimed: ClaimedJob;
  readonly lease: Lease;
  readonly definition: JobDefinition;
  /** Never rejects. Resolves at most `abortGraceMs` after the signal was aborted. */
  readonly result: Promise<AttemptResult>;
  /** Aborts the signal, and with it the attempt. */
  readonly abort: (reason: Error) => void;
}

/**
 * Starts an attempt, in the base language, although a request may have caused it. Its log entries carry the log fields of the
 * dispatch, such as the request ID, and of the job.
 */
export function startAttempt(definition: JobDefinition, claimed: ClaimedJob): Attempt {
  const controller = new AbortController();
  const fields = { ...logFieldsOf(claimed), attempt: claimed.job.attempts };
  const result = LanguageInternals.runInLocale(undefined, () =>
    Log.withFields(fields, () => runAttempt(definition, claimed, controller)),
  );
  return { claimed, lease: leaseOf(claimed), definition, result, abort: (reason) => controller.abort(reason) };
}

/** Returns the log fields of a job: those of its dispatch, its name and its ID. */
export const logFieldsOf = ({ job, log_fields }: ClaimedJob): LogFields => ({
  ...log_fields,
  job: job.name,
  job_id: job.id,
});

/** Returns the lease of a claimed job. */
export const leaseOf = ({ job, lease_id }: ClaimedJob): Lease => ({ job_id: job.id, lease_id });

async function runAttempt(
  definition: JobDefinition,
  { job }: ClaimedJob,
  controller: AbortController,
): Promise<AttemptResult> {
  const { signal } = controller;
  const { timeoutMs } = definition;
  const cancelTimeout =
    timeoutMs === undefined
      ? undefined
      : TimeInternals.after(timeoutMs, () => controller.abort(errors.E_QUEUE_TIMEOUT(timeoutMs)));
  try {
    const handle = async (): Promise<HandlerResult> => {
      const input = await decodeInput(definition, job.input);
      signal.throwIfAborted();
      return definition.handle(input, { ctx: job.ctx, signal, job });
    };
    const result = await Promise.race([handle(), rejectAfterAbort(signal)]);
    return result?.ok === false ? failedAttempt(result.error, true) : ok(undefined);
  } catch (thrown) {
    return failedAttempt(signal.aborted ? signal.reason : thrown, false);
  } finally {
    cancelTimeout?.();
  }
}

/** Rejects `abortGraceMs` after the signal was aborted. */
function rejectAfterAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const rejectNow = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", () => void TimeInternals.after(abortGraceMs, rejectNow, { keepAlive: false }), {
      once: true,
    });
  });
}

const defaultRetryDelayMs = Time.minutes(1);
const maxRetryDelayMs = Time.days(1);
/** Maximum length of the stored text of an error, in characters. */
export const maxErrorLength = 4000;

/** Returns the outcome of an attempt: success, a retry or a permanent failure. */
export function outcomeOf({ claimed, lease, definition }: Attempt, result: AttemptResult): JobOutcome {
  const { attempts, max_attempts } = claimed.job;
  if (result.ok) return { ...lease, outcome: "succeeded" };
  const { text: error, isFinal } = result.error;
  if (isFinal || attempts >= max_attempts) return { ...lease, outcome: "failed", error };
  const delayMs = retryDelayMs(definition.retryDelayMs ?? defaultRetryDelayMs, attempts);
  return { ...lease, outcome: "retried", error, next_run_at: new Date(TimeInternals.timestamp() + delayMs) };
}

/** Returns a failed result. A thrown value that cannot be read is replaced: the outcome must be recorded anyway. */
function failedAttempt(thrown: unknown, isFinal: boolean): Result<never, FailedAttempt> {
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
