import { maxClockErrorMs } from "../../../../lease/index.ts";
import { Random } from "../../../../random/index.ts";
import { Time, TimeInternals } from "../../../../time/index.ts";
import type { RunOutcome, RunRecord } from "../../contract.ts";
import { leaseMs, maxRunRecords, type RunLease, type ScheduleStore } from "../contract.ts";

interface ScheduleState {
  timing: string;
  /** Slots at or before this time are done. */
  dueAfter: Date;
  lastSlot: Date | undefined;
  lease: { readonly runId: string; leasedUntil: number } | undefined;
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
    const newState = { timing, dueAfter, lastSlot: undefined, lease: undefined, isPaused: false, runs: [] };
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
    claim: async ({ name, timing }, slot) => {
      const state = stateOf(name, timing);
      const now = TimeInternals.timestamp();
      const maxTime = now + maxClockErrorMs;
      const isHeld = state.lease !== undefined && state.lease.leasedUntil > now && state.lease.leasedUntil <= maxTime;
      if (isHeld) return undefined;
      if (slot !== null) {
        const lastSlot = state.lastSlot?.getTime() ?? -Infinity;
        const isDone = lastSlot >= slot.getTime() && lastSlot <= maxTime;
        if (state.isPaused || isDone || state.runs.some((run) => run.slot?.getTime() === slot.getTime())) {
          return undefined;
        }
        state.lastSlot = slot;
      }
      if (state.lease !== undefined) endRun(state, state.lease.runId, "lost", null);
      const lease: RunLease = { id: Random.uuid(), schedule: name, slot, started_at: new Date(now) };
      const run: RunRecord = { ...lease, ended_at: null, outcome: "running", error: null };
      state.lease = { runId: lease.id, leasedUntil: now + leaseMs };
      state.runs = [run, ...state.runs].slice(0, maxRunRecords);
      return lease;
    },
    renewLease: async ({ id, schedule }) => {
      const lease = states.get(schedule)?.lease;
      if (lease?.runId !== id) return false;
      lease.leasedUntil = TimeInternals.timestamp() + leaseMs;
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
