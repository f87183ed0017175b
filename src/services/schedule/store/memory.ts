import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { RunOutcome, RunRecord } from "../contract.ts";
import {
  continuedSlot,
  leaseMsOf,
  maxClockSkewMs,
  maxRunRecords,
  type RunLease,
  type ScheduleStore,
} from "./contract.ts";

interface ScheduleState {
  timing: string;
  /** Slots at or before this time are done. */
  dueAfter: Date;
  lastSlot?: Date;
  /** First slot of the sequence that ends with `lastSlot`. */
  sequenceStart?: Date;
  lease?: { readonly runId: string; leasedUntil: number } | undefined;
  isPaused: boolean;
  /** Latest first. */
  runs: readonly RunRecord[];
}

/** Creates the store of schedules without a database: runs of this process only, lost when it ends. */
export function memoryStore(): ScheduleStore {
  const states = new Map<string, ScheduleState>();

  const stateOf = (name: string, timing: string): ScheduleState => {
    const state = states.get(name);
    if (state?.timing === timing) return state;
    const dueAfter = Time.now();
    if (state !== undefined) return Object.assign(state, { dueAfter, timing });
    const newState: ScheduleState = { timing, dueAfter, isPaused: false, runs: [] };
    states.set(name, newState);
    return newState;
  };

  const endRun = (state: ScheduleState, runId: string, outcome: RunOutcome, error: string | null): void => {
    state.runs = state.runs.map((run) =>
      run.id === runId && run.outcome === "running" ? { ...run, outcome, error, ended_at: Time.now() } : run,
    );
  };

  return {
    register: async ({ name, timing }) => {
      const { dueAfter, lastSlot } = stateOf(name, timing);
      return lastSlot !== undefined && lastSlot > dueAfter ? lastSlot : dueAfter;
    },
    claim: async (schedule, slot) => {
      const { name, timing } = schedule;
      const state = stateOf(name, timing);
      const now = TimeInternals.timestamp();
      const durationMs = leaseMsOf(schedule, slot ?? new Date(now));
      const maxLeasedUntil = now + durationMs + maxClockSkewMs;
      const isHeld =
        state.lease !== undefined && state.lease.leasedUntil > now && state.lease.leasedUntil <= maxLeasedUntil;
      if (isHeld) return undefined;
      if (slot !== null) {
        const { lastSlot, sequenceStart } = state;
        const isInSequence =
          lastSlot !== undefined && sequenceStart !== undefined && lastSlot >= slot && sequenceStart <= slot;
        if (state.isPaused || isInSequence || state.runs.some((run) => run.slot?.getTime() === slot.getTime())) {
          return undefined;
        }
        const continues = lastSlot !== undefined && lastSlot < slot && lastSlot >= continuedSlot(schedule, slot);
        if (!continues) state.sequenceStart = slot;
        state.lastSlot = slot;
      }
      if (state.lease !== undefined) endRun(state, state.lease.runId, "lost", null);
      const lease: RunLease = { id: Random.uuid(), schedule: name, slot, started_at: new Date(now), durationMs };
      const { id, started_at } = lease;
      const run: RunRecord = { id, schedule: name, slot, started_at, ended_at: null, outcome: "running", error: null };
      state.lease = { runId: id, leasedUntil: now + durationMs };
      state.runs = [run, ...state.runs].slice(0, maxRunRecords);
      return lease;
    },
    renewLease: async ({ id, schedule, durationMs }) => {
      const lease = states.get(schedule)?.lease;
      if (lease?.runId !== id) return false;
      lease.leasedUntil = TimeInternals.timestamp() + durationMs;
      return true;
    },
    finish: async ({ id, schedule }, error) => {
      const state = states.get(schedule);
      if (state === undefined) return;
      if (state.lease?.runId === id) state.lease = undefined;
      endRun(state, id, error === null ? "succeeded" : "failed", error);
    },
    history: async (schedule, limit) => states.get(schedule)?.runs.slice(0, limit) ?? [],
    pausedNames: async () => new Set([...states].filter(([, { isPaused }]) => isPaused).map(([name]) => name)),
    setPaused: async ({ name, timing }, isPaused) => {
      const state = stateOf(name, timing);
      if (state.isPaused && !isPaused) state.dueAfter = Time.now();
      state.isPaused = isPaused;
    },
    clear: () => states.clear(),
  };
}
