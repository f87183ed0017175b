import { ok } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { Job, Outcome } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Ended, failedTry } from "./outcome.ts";
import { decode } from "./payload.ts";
import type { Claimed } from "./store.ts";

/** How long a `handle` has to end once its signal is aborted, in milliseconds. */
export const patience: number = Time.seconds(1);

/** A try of a job, under way in this process. */
export interface Execution {
  readonly claimed: Claimed;
  readonly job: Job;
  /** How it ended. Never rejects, and waits a second at most for a `handle` whose signal was aborted. */
  readonly ended: Promise<Ended>;
  /** Aborts the signal, and with it the try. */
  readonly abort: (reason: Error) => void;
}

/** Begins a try. What it logs carries the fields of the dispatch, such as the id of the request, and those of the job. */
export function execute(job: Job, claimed: Claimed): Execution {
  const { instance, log_fields } = claimed;
  const control = new AbortController();
  const fields = { ...log_fields, job: instance.name, job_id: instance.id, try: instance.tries };
  const abort = (reason: Error): void => control.abort(reason);
  return { claimed, job, abort, ended: Log.withFields(fields, () => attempt(job, claimed, control)) };
}

async function attempt(job: Job, { instance }: Claimed, control: AbortController): Promise<Ended> {
  const { signal } = control;
  const { timeout } = job;
  const stopWaiting =
    timeout === undefined ? undefined : Time.after(timeout, () => control.abort(errors.E_QUEUE_TIMEOUT(timeout)));
  try {
    const work = async (): Promise<Outcome> => {
      const input = await decode(job, instance.input);
      signal.throwIfAborted();
      return job.handle(input, { ctx: instance.ctx, signal, instance });
    };
    const outcome = await Promise.race([work(), givenUp(signal)]);
    return outcome?.ok === false ? failedTry(outcome.error, true) : ok(undefined);
  } catch (thrown) {
    return failedTry(signal.aborted ? signal.reason : thrown, false);
  } finally {
    stopWaiting?.();
  }
}

/** Rejects when the signal was aborted and the time to heed it is over. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", () => void Time.after(patience, giveUp, { keepAlive: false }), { once: true });
  });
}
