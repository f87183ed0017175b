import type { Service } from "../../../core/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { QueueStore } from "../store/contract.ts";
import type { AttemptStatus, JobRegistry } from "./job-registry.ts";

const maxHealthyWaitMs = Time.minutes(5);

/** Returns the findings of `doctor` about a queue: unregistered jobs, long waiting times and failed jobs. */
export async function checkQueue(store: QueueStore, registry: JobRegistry): Promise<readonly Service.Finding[]> {
  const findings: Service.Finding[] = [];
  const warn = (message: string, advice: string): void => void findings.push({ level: "warning", message, advice });
  const waiting = await store.waiting({});
  for (const { name, count } of waiting) {
    if (registry.findOpt(name) === undefined) {
      warn(
        `${countJobs(count, "waits", "wait")} whose definition is not registered here: "${name}"`,
        "List the definition in the option `jobs` of the queue, or cancel the jobs.",
      );
    }
  }
  const registered = waiting.filter(({ name }) => registry.findOpt(name) !== undefined);
  const oldestDueAt = Math.min(...registered.map(({ oldest_due_at }) => oldest_due_at.getTime()));
  const waitMs = Math.max(0, TimeInternals.timestamp() - oldestDueAt);
  if (oldestDueAt !== Infinity && waitMs > maxHealthyWaitMs) {
    warn(
      `The oldest due job has waited for ${TimeInternals.formatDuration(Math.round(waitMs / 1000) * 1000)}`,
      "Start a process that runs jobs, or more of them: queue.work.",
    );
  }
  const { failed, pending, running } = await store.counts({});
  if (failed > 0) {
    warn(
      `${countJobs(failed, "has", "have")} failed`,
      "List the errors with queue.list --status failed; retry the jobs with queue.requeue.",
    );
  }
  if (findings.length > 0) return findings;
  return [{ level: "ok", message: `No job waits too long, none has failed (${pending} pending, ${running} running)` }];
}

const countJobs = (count: number, singular: string, plural: string): string =>
  count === 1 ? `1 job ${singular}` : `${count} jobs ${plural}`;

const attemptStatuses: readonly AttemptStatus[] = ["succeeded", "retried", "failed"];

/**
 * Measures the waiting jobs of the whole queue and the ended attempts of this process. Every registered job has samples
 * from the start, so that a 0 differs from a missing metric.
 */
export async function measureQueue(store: QueueStore, registry: JobRegistry): Promise<readonly Service.Metric[]> {
  const waiting = new Map((await store.waiting({})).map((jobs) => [jobs.name, jobs]));
  const now = TimeInternals.timestamp();
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
