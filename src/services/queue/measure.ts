import type { Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { End, Registry } from "./registry.ts";
import type { Store } from "./store.ts";

const ends: readonly End[] = ["succeeded", "retried", "failed"];

/**
 * What is due and waits, in the whole queue, and how the tries ended that this process made. All jobs that are known here
 * are there from the start, so that a 0 is told from a figure that is missing.
 */
export async function measure(store: Store, registry: Registry): Promise<readonly Service.Measurement[]> {
  const waiting = new Map((await store.waiting({})).map((due) => [due.name, due]));
  const now = Time.timestamp();
  const names = [...new Set([...registry.names, ...waiting.keys()])];
  const each = (value: (name: string) => number): readonly Service.Sample[] =>
    names.map((name) => ({ value: value(name), labels: { job_name: name } }));
  return [
    {
      name: "queue_jobs_waiting",
      type: "gauge",
      help: "Jobs that are due and that nobody works yet",
      samples: each((name) => waiting.get(name)?.count ?? 0),
    },
    {
      name: "queue_oldest_job_waiting_seconds",
      type: "gauge",
      help: "How long the oldest job that is due has waited",
      samples: each((name) => Math.max(0, now - (waiting.get(name)?.since.getTime() ?? now)) / 1000),
    },
    {
      name: "queue_job_tries_total",
      type: "counter",
      help: "Tries of jobs that have ended, by how they ended",
      samples: registry.names.flatMap((name) =>
        ends.map((outcome) => ({
          value: registry.ends.get(name)?.get(outcome) ?? 0,
          labels: { job_name: name, outcome },
        })),
      ),
    },
  ];
}
