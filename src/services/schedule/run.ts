import type { Context } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { Claim, Schedule, ScheduleFailure, ScheduleStore } from "./contract.ts";
import { errors } from "./errors.ts";
import { leaseTime } from "./limits.ts";

/** What runs have in common. */
export interface Surroundings {
  readonly store: ScheduleStore;
  readonly ctx: Context;
  /** Aborted when the process is told to end. */
  readonly signal: AbortSignal;
  readonly onFailure: ((failure: ScheduleFailure) => unknown) | undefined;
}

/** How a run ended. */
export type Ended = { readonly hasFailed: false } | { readonly hasFailed: true; readonly error: unknown };

const log = Log.source("limmat.schedule");
const renewAfter = leaseTime / 3;

/**
 * Runs a schedule that was claimed, renews the claim meanwhile, and remembers how it ended. Never throws: what the run
 * throws is logged, told to `onFailure`, and given back.
 */
export function execute(schedule: Schedule, claim: Claim, around: Surroundings): Promise<Ended> {
  const { store, ctx } = around;
  return Log.withFields({ schedule: schedule.name, run: claim.id }, async () => {
    const started = Time.monotonic();
    const lease = keep(claim, around);
    let ended: Ended = { hasFailed: false };
    try {
      await schedule.run({ ctx, signal: lease.signal, slot: claim.slot ?? claim.started_at });
    } catch (error) {
      ended = { hasFailed: true, error };
    } finally {
      lease.end();
    }
    const ms = Math.round(Time.monotonic() - started);
    if (ended.hasFailed) await tell({ schedule, claim, error: ended.error, ms }, around);
    else log.info(`The schedule "${schedule.name}" has run`, { ms });
    try {
      await store.finish(claim, ended.hasFailed ? reasonOf(ended.error) : null, { ctx });
    } catch (error) {
      log.error(`The end of a run of "${schedule.name}" could not be remembered`, { error });
    }
    return ended;
  });
}

/** Renews a claim again and again; the signal is aborted when that no longer works, or the process is told to end. */
function keep(
  claim: Claim,
  { store, ctx, signal }: Surroundings,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const lost = new AbortController();
  let isEnded = false;
  let cancel = (): void => {};

  const lose = (): void => lost.abort(errors.E_SCHEDULE_CLAIM_LOST(claim.schedule));
  // Whatever became of a renewal, which may wait for a database that is silent.
  const loseAt = (time: number): (() => void) => Time.after(Math.max(0, time - Time.monotonic()), lose);
  const age = Math.min(leaseTime, Math.max(0, Time.timestamp() - claim.started_at.getTime()));
  let keepFromLosing = loseAt(Time.monotonic() + leaseTime - age);

  const renew = async (): Promise<void> => {
    const asked = Time.monotonic();
    try {
      const isOurs = await store.renew(claim, { ctx });
      keepFromLosing();
      if (isEnded) return;
      if (!isOurs) return lose();
      keepFromLosing = loseAt(asked + leaseTime);
    } catch (error) {
      log.warning(`The claim on a run of "${claim.schedule}" could not be renewed`, { error });
    }
    if (!isEnded && !lost.signal.aborted) wait();
  };
  const wait = (): void => {
    cancel = Time.after(renewAfter, () => void renew());
  };
  wait();

  return {
    signal: AbortSignal.any([signal, lost.signal]),
    end: () => {
      isEnded = true;
      cancel();
      keepFromLosing();
    },
  };
}

async function tell(
  { schedule, claim, error, ms }: { schedule: Schedule; claim: Claim; error: unknown; ms: number },
  { onFailure }: Surroundings,
): Promise<void> {
  log.error(`The schedule "${schedule.name}" has failed`, { error, ms });
  try {
    await onFailure?.({ schedule: schedule.name, slot: claim.slot, error });
  } catch (failure) {
    log.error(`Nobody could be told that the schedule "${schedule.name}" has failed`, { error: failure });
  }
}

/** Why a run failed, as a text that every database takes. */
function reasonOf(error: unknown): string {
  return textOf(error).slice(0, 2000).replaceAll("\0", "").toWellFormed();
}

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    // Anything can be thrown, even what throws itself when it is looked at: the end of the run must still be remembered.
    return "Something was thrown that cannot be read";
  }
}
