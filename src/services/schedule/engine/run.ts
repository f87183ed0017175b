import { type Context, errorText } from "../../../core/index.ts";
import { type HeldLease, holdLease } from "../../../lease/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import { Log } from "../../../log/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { Schedule, ScheduleFailure } from "../contract.ts";
import { errors } from "../errors.ts";
import type { RunLease, ScheduleStore } from "../store/contract.ts";

const log = Log.source("limmat.schedule");

/** Values that all runs of a process share. */
export interface RunContext {
  readonly store: ScheduleStore;
  readonly ctx: Context;
  /** Aborted when the process shuts down. */
  readonly signal: AbortSignal;
  readonly onFailure: ((failure: ScheduleFailure) => unknown) | undefined;
}

/** Result of a run. */
export type RunResult = { readonly hasFailed: false } | { readonly hasFailed: true; readonly error: unknown };

const maxErrorLength = 2000;

/** Runs a claimed schedule, in the base language, and records the outcome. Never throws: an error is logged, passed on and returned. */
export function executeRun(schedule: Schedule, lease: RunLease, context: RunContext): Promise<RunResult> {
  const { store, ctx } = context;
  const run = async (): Promise<RunResult> => {
    const startedAt = Time.monotonic();
    const heldLease = holdRunLease(lease, context);
    const signal = AbortSignal.any([context.signal, heldLease.signal]);
    let result: RunResult = { hasFailed: false };
    try {
      await schedule.run({ ctx, signal, slot: lease.slot ?? lease.started_at });
    } catch (error) {
      result = { hasFailed: true, error };
    } finally {
      void heldLease.end();
    }
    const ms = Math.round(Time.monotonic() - startedAt);
    if (result.hasFailed)
      await reportFailure({ schedule: schedule.name, slot: lease.slot, error: result.error }, ms, context);
    else log.info(`The schedule "${schedule.name}" has run`, { ms });
    try {
      await store.finish(lease, result.hasFailed ? storedError(result.error) : null, { ctx });
    } catch (error) {
      log.error(`The outcome of a run of "${schedule.name}" could not be recorded`, { error });
    }
    return result;
  };
  const fields = { schedule: schedule.name, run: lease.id };
  return LanguageInternals.runInLocale(undefined, () => Log.withFields(fields, run));
}

function holdRunLease(lease: RunLease, { store, ctx }: RunContext): HeldLease {
  // The claim may have taken a while. The clock may have been set since, so the age is bounded.
  const ageMs = Math.min(lease.durationMs, Math.max(0, TimeInternals.timestamp() - lease.started_at.getTime()));
  return holdLease({
    durationMs: lease.durationMs,
    acquiredAt: Time.monotonic() - ageMs,
    renew: () => store.renewLease(lease, { ctx }),
    lossReason: () => errors.E_SCHEDULE_CLAIM_LOST(lease.schedule),
    onError: (error) => log.warning(`The lease on a run of "${lease.schedule}" could not be renewed`, { error }),
  });
}

async function reportFailure(failure: ScheduleFailure, ms: number, { onFailure }: RunContext): Promise<void> {
  const { schedule, error } = failure;
  log.error(`The schedule "${schedule}" has failed`, { error, ms });
  try {
    await onFailure?.(failure);
  } catch (thrown) {
    log.error(`The \`onFailure\` callback of the schedule "${schedule}" has failed`, { error: thrown });
  }
}

/** Returns the stored text of an error. */
function storedError(error: unknown): string {
  try {
    return errorText(error, maxErrorLength);
  } catch {
    // The properties of a thrown value can throw as well. The outcome must still be recorded.
    return "A value was thrown that cannot be read";
  }
}

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
      doneUntil = Math.min(doneUntil, TimeInternals.timestamp());
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
      doneUntil = Math.max(doneUntil, TimeInternals.timestamp());
    } catch (error) {
      // The signal ends the statements, too.
      if (signal.aborted) return;
      // Logged once per outage, because the retries follow every few seconds.
      if (!isOutage) log.error(`The schedule "${schedule.name}" waits for its database`, { error });
      isOutage = true;
      await sleep(outageRetryDelayMs);
    }
  }
}

function msUntilNext(schedule: Schedule): number {
  const now = TimeInternals.timestamp();
  const next = schedule.next(new Date(now))?.getTime() ?? Infinity;
  return Math.min(next - now, maxSleepMs);
}
