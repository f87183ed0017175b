import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { Claim, Outcome, Run, ScheduleStore } from "./contract.ts";
import { leaseTime, remembered, setBack } from "./limits.ts";

/** A store that can be emptied. */
export interface MemoryStore extends ScheduleStore {
  readonly clear: () => void;
}

interface State {
  since: Date;
  timing: string;
  lastSlot: Date | undefined;
  running: { readonly id: string; until: number } | undefined;
  isPaused: boolean;
  /** The latest first. */
  runs: readonly Run[];
}

/** Makes the store of schedules without a database: what this process runs, and nothing after its end. */
export function memoryStore(): MemoryStore {
  const states = new Map<string, State>();

  const stateOf = (name: string, timing: string): State => {
    const known = states.get(name);
    if (known?.timing === timing) return known;
    const made: State = {
      since: Time.now(),
      timing,
      lastSlot: undefined,
      running: undefined,
      isPaused: false,
      runs: [],
    };
    const state = known === undefined ? made : Object.assign(known, { since: made.since, timing });
    states.set(name, state);
    return state;
  };

  const end = (state: State, id: string, outcome: Outcome, error: string | null): void => {
    state.runs = state.runs.map((run) =>
      run.id === id && run.outcome === "running" ? { ...run, outcome, error, ended_at: Time.now() } : run,
    );
  };

  return {
    open: async ({ name, timing }) => {
      const { since, lastSlot } = stateOf(name, timing);
      return lastSlot !== undefined && lastSlot > since ? lastSlot : since;
    },
    claim: async ({ name, timing }, slot) => {
      const state = stateOf(name, timing);
      const now = Time.timestamp();
      // No lease ends a day from now: the clock was wrong when it was taken.
      const isHeld = state.running !== undefined && state.running.until > now && state.running.until <= now + setBack;
      if (isHeld) return undefined;
      if (slot !== null) {
        const last = state.lastSlot?.getTime() ?? -Infinity;
        const isDone = last >= slot.getTime() && last <= now + setBack;
        if (state.isPaused || isDone || state.runs.some((run) => run.slot?.getTime() === slot.getTime()))
          return undefined;
        state.lastSlot = slot;
      }
      if (state.running !== undefined) end(state, state.running.id, "lost", null);
      const claim: Claim = { id: Random.uuid(), schedule: name, slot, started_at: new Date(now) };
      const run: Run = { ...claim, ended_at: null, outcome: "running", error: null };
      state.running = { id: claim.id, until: now + leaseTime };
      state.runs = [run, ...state.runs].slice(0, remembered);
      return claim;
    },
    renew: async ({ id, schedule }) => {
      const running = states.get(schedule)?.running;
      if (running?.id !== id) return false;
      running.until = Time.timestamp() + leaseTime;
      return true;
    },
    finish: async ({ id, schedule }, error) => {
      const state = states.get(schedule);
      if (state === undefined) return;
      if (state.running?.id === id) state.running = undefined;
      end(state, id, error === null ? "succeeded" : "failed", error);
    },
    history: async (schedule, limit) => states.get(schedule)?.runs.slice(0, limit) ?? [],
    paused: async () => new Set([...states].filter(([, { isPaused }]) => isPaused).map(([name]) => name)),
    setPaused: async ({ name, timing }, isPaused) => {
      const state = stateOf(name, timing);
      if (state.isPaused && !isPaused) state.since = Time.now();
      state.isPaused = isPaused;
    },
    clear: () => states.clear(),
  };
}
