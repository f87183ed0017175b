import { errorText } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { errors } from "../errors.ts";
import type { QueueStore } from "../store/contract.ts";
import type { InFlightJobs } from "./in-flight-jobs.ts";
import { maxErrorLength } from "./outcome.ts";

const log = Log.source("limmat.queue");

/** Frees the jobs of dead workers, and reports the ones whose last attempt it was as failed. Returns true if any job is pending again. */
export async function reclaimLostJobs(
  store: QueueStore,
  names: readonly string[],
  inFlight: InFlightJobs,
): Promise<boolean> {
  if (names.length === 0) return false;
  const error = errors.E_QUEUE_LOST();
  // A store may return batches. No batch repeats jobs, because freed ones are pending.
  for (let hasFreed = false; ;) {
    const { freed, failed } = await store.reclaim(names, errorText(error, maxErrorLength));
    if (freed + failed.length === 0) return hasFreed;
    log.warning("Jobs of dead workers are taken over", { jobs: freed + failed.length });
    for (const claimed of failed) {
      const { name, id } = claimed.job;
      log.error("A job has failed", { ...claimed.log_fields, job: name, job_id: id, error });
      inFlight.reportFailure(claimed, error, errorText(error, maxErrorLength));
    }
    hasFreed ||= freed > 0;
  }
}
