import type { Service } from "../../../core/index.ts";
import { Time } from "../../../time/index.ts";
import type { QueueStore } from "../store/contract.ts";
import type { AttemptStatus, JobRegistry } from "./job-registry.ts";

const attemptStatuses: readonly AttemptStatus[] = ["succeeded", "retried", "failed"];

/**
 * Measures the waiting jobs of the whole queue and the ended attempts of this process. Every registered job has samples
 * from the start, so that a 0 differs from a missing metric.
 */
export async function measureQueue(store: QueueStore, registry: JobRegistry): Promise<readonly Service.Metric[]> {
  const waiting = new Map((await store.waiting({})).map((jobs) => [jobs.name, jobs]));
  const now = Time.timestamp();
  const names = [...new Set([...registry.names, ...waiting.keys()])];
  const samplesOf = (value: (name: string) => number): readonly Service.Sample[] =>
    names.map((name) => ({ value: value(name), labels: { job_name: name } }));
  return [
    {
      name: "queue_jobs_waiting",
      type: "gauge",
      help: "Due jobs that wait for a worker",
      samples: samplesOf((name) => waiting.get(name)?.count ?? 0),
    },
    {
      name: "queue_oldest_job_waiting_seconds",
      type: "gauge",
      help: "Waiting time of the oldest due job",
      samples: samplesOf((name) => Math.max(0, now - (waiting.get(name)?.oldest_due_at.getTime() ?? now)) / 1000),
    },
    {
      name: "queue_job_attempts_total",
      type: "counter",
      help: "Ended attempts of jobs, by outcome",
      samples: registry.names.flatMap((name) =>
        attemptStatuses.map((outcome) => ({
          value: registry.attemptCount(name, outcome),
          labels: { job_name: name, outcome },
        })),
      ),
    },
  ];
}
