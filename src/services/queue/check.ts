import type { Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Registry } from "./registry.ts";
import type { Store } from "./store.ts";

const longWait = Time.minutes(5);

/** What `doctor` says of a queue: how long due jobs wait, which nobody knows, how many have failed. */
export async function check(store: Store, registry: Registry): Promise<readonly Service.Finding[]> {
  const found: Service.Finding[] = [];
  const warn = (message: string, advice: string): void => void found.push({ level: "warning", message, advice });
  const waiting = await store.waiting({});
  for (const { name, count } of waiting) {
    if (registry.find(name) === undefined) {
      warn(
        `${jobs(count, "waits", "wait")} that nobody knows here: "${name}"`,
        "List the job in the option `jobs` of the queue, or cancel them.",
      );
    }
  }
  const since = Math.min(...waiting.filter(({ name }) => registry.find(name)).map((due) => due.since.getTime()));
  const wait = Math.max(0, Time.timestamp() - since);
  if (since !== Infinity && wait > longWait) {
    warn(
      `The oldest job that is due has waited for ${Time.formatDuration(Math.round(wait / 1000) * 1000)}`,
      "Start a process that works jobs, or more of them: queue.work.",
    );
  }
  const { failed, pending, running } = await store.counts({});
  if (failed > 0) {
    warn(
      `${jobs(failed, "has", "have")} failed`,
      "See why with queue.list --status failed; queue.requeue tries them again.",
    );
  }
  if (found.length > 0) return found;
  return [{ level: "ok", message: `No job waits too long, none has failed (${pending} pending, ${running} running)` }];
}

const jobs = (count: number, one: string, several: string): string =>
  count === 1 ? `1 job ${one}` : `${count} jobs ${several}`;
