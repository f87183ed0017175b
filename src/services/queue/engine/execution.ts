import { ok } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { HandlerResult, JobDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ClaimedJob } from "../store/contract.ts";
import { type AttemptResult, failedAttempt } from "./outcome.ts";
import { decodeInput } from "./payload.ts";

/** Time that a `handle` has to end after its signal was aborted, in milliseconds. */
export const abortGraceMs: number = Time.seconds(1);

/** Running attempt of a job in this process. */
export interface Execution {
  readonly claimed: ClaimedJob;
  readonly definition: JobDefinition;
  /** Never rejects. Resolves at most `abortGraceMs` after the signal was aborted. */
  readonly result: Promise<AttemptResult>;
  /** Aborts the signal, and with it the attempt. */
  readonly abort: (reason: Error) => void;
}

/** Starts an attempt. Its log entries carry the log fields of the dispatch, such as the request ID, and of the job. */
export function startExecution(definition: JobDefinition, claimed: ClaimedJob): Execution {
  const { job, log_fields } = claimed;
  const controller = new AbortController();
  const fields = { ...log_fields, job: job.name, job_id: job.id, attempt: job.attempts };
  const result = Log.withFields(fields, () => runAttempt(definition, claimed, controller));
  return { claimed, definition, result, abort: (reason) => controller.abort(reason) };
}

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
