import type { ContextOptions } from "../../../core/index.ts";
import type { JobRecord } from "../contract.ts";
import type { QueueStore } from "../store/contract.ts";
import { InFlightJobs, reclaimLostJobs } from "./in-flight-jobs.ts";
import type { JobRegistry } from "./job-registry.ts";
import { claimRequest } from "./prefetch-buffer.ts";

/** Runs due jobs, one after the other, until none is left. Returns their records afterwards. */
export async function runDueJobs(
  store: QueueStore,
  registry: JobRegistry,
  options: ContextOptions,
): Promise<readonly JobRecord[]> {
  const inFlight = new InFlightJobs(store, registry, () => {});
  const ids = new Set<string>();
  await reclaimLostJobs(store, registry.names, inFlight);
  for (;;) {
    const [claimed] = await store.claim(claimRequest(registry.names, 1));
    if (claimed === undefined) break;
    ids.add(claimed.job.id);
    inFlight.start(claimed);
    await inFlight.settled();
  }
  await inFlight.settled();
  const jobs = await Promise.all([...ids].map((id) => store.findOpt(id, options)));
  return jobs.filter((job) => job !== undefined);
}
