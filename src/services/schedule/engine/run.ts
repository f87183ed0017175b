import type { Context } from "../../../core/index.ts";
import { type HeldLease, holdLease } from "../../../lease/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import type { Schedule, ScheduleFailure } from "../contract.ts";
import { errors } from "../errors.ts";
import { leaseMs, type RunLease, type ScheduleStore } from "../store/contract.ts";

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

const log = Log.source("limmat.schedule");
const maxErrorLength = 2000;

/**
 * Runs a claimed schedule, renews its lease meanwhile, and records the outcome. Never throws: an error of the run is logged,
 * passed to `onFailure`, and returned.
 */
export function executeRun(schedule: Schedule, lease: RunLease, context: RunContext): Promise<RunResult> {
  const { store, ctx } = context;
  return Log.withFields({ schedule: schedule.name, run: lease.id }, async () => {
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
  });
}

function holdRunLease(lease: RunLease, { store, ctx }: RunContext): HeldLease {
  // The claim may have taken a while. The clock may have been set since, so the age is bounded.
  const ageMs = Math.min(leaseMs, Math.max(0, Time.timestamp() - lease.started_at.getTime()));
  return holdLease({
    durationMs: leaseMs,
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

/** Returns the text of an error that every database can store. */
function storedError(error: unknown): string {
  // PostgreSQL rejects NUL in texts, and UTF-8 cannot encode lone surrogates.
  return errorText(error).slice(0, maxErrorLength).replaceAll("\0", "").toWellFormed();
}

function errorText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    // The properties of a thrown value can throw as well. The outcome must still be recorded.
    return "A value was thrown that cannot be read";
  }
}
