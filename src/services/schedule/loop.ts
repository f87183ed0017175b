import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { Claim, Schedule } from "./contract.ts";
import { execute, type Surroundings } from "./run.ts";

const log = Log.source("limmat.schedule");

// A clock may be set, and a computer sleep, while a timer waits: it looks at the time again at least this often.
const longestWait = Time.minutes(1);
const waitAfterFailure = Time.seconds(5);

/** Runs a schedule at its slots until the signal is aborted. Never throws. */
export async function loop(schedule: Schedule, around: Surroundings): Promise<void> {
  const { signal } = around;
  const sleep = (ms: number): Promise<void> => Time.sleep(ms, { signal }).catch(() => {});
  let done: number | undefined;
  let isAway = false;

  while (!signal.aborted) {
    try {
      done ??= (await around.store.open(schedule, around)).getTime();
      // When the clock was set back, the store knows which slots were run.
      done = Math.min(done, Time.timestamp());
      const slot = schedule.latest(Time.now());
      if (slot === undefined || slot.getTime() <= done) {
        isAway = false;
        await sleep(untilNext(schedule));
        continue;
      }
      const claim: Claim | undefined = await around.store.claim(schedule, slot, around);
      done = slot.getTime();
      isAway = false;
      if (claim === undefined) continue;
      await execute(schedule, claim, around);
      // What fell due meanwhile passes.
      done = Math.max(done, Time.timestamp());
    } catch (error) {
      // Once per outage: it is tried every few seconds.
      if (!isAway) log.error(`The schedule "${schedule.name}" waits for its database`, { error });
      isAway = true;
      await sleep(waitAfterFailure);
    }
  }
}

function untilNext(schedule: Schedule): number {
  const now = Time.timestamp();
  const next = schedule.next(new Date(now))?.getTime() ?? Infinity;
  return Math.min(next - now, longestWait);
}
