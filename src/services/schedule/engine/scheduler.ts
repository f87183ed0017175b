import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import type { Schedule } from "../contract.ts";
import { executeRun, type RunContext } from "./run.ts";

const log = Log.source("limmat.schedule");

// The clock can be set, and the computer can sleep, while a timer runs. So the time is checked at least this often.
const maxSleepMs = Time.minutes(1);
const outageRetryDelayMs = Time.seconds(5);

/** Runs a schedule at its slots until the signal is aborted. Never throws. */
export async function runAtSlots(schedule: Schedule, context: RunContext): Promise<void> {
  const { signal, store } = context;
  const sleep = (ms: number): Promise<void> => Time.sleep(ms, { signal }).catch(() => {});
  let doneUntil: number | undefined;
  let isOutage = false;

  while (!signal.aborted) {
    try {
      doneUntil ??= (await store.register(schedule, context)).getTime();
      // After the clock was set back, the store decides which slots have run already.
      doneUntil = Math.min(doneUntil, Time.timestamp());
      const slot = schedule.latest(Time.now());
      if (slot === undefined || slot.getTime() <= doneUntil) {
        isOutage = false;
        await sleep(msUntilNext(schedule));
        continue;
      }
      const lease = await store.claim(schedule, slot, context);
      doneUntil = slot.getTime();
      isOutage = false;
      if (lease === undefined) continue;
      await executeRun(schedule, lease, context);
      // Slots that became due during the run are skipped.
      doneUntil = Math.max(doneUntil, Time.timestamp());
    } catch (error) {
      // Logged once per outage, because the retries follow every few seconds.
      if (!isOutage) log.error(`The schedule "${schedule.name}" waits for its database`, { error });
      isOutage = true;
      await sleep(outageRetryDelayMs);
    }
  }
}

function msUntilNext(schedule: Schedule): number {
  const now = Time.timestamp();
  const next = schedule.next(new Date(now))?.getTime() ?? Infinity;
  return Math.min(next - now, maxSleepMs);
}
