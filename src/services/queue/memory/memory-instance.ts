import type { Instance } from "../contract.ts";
import type { NewInstance } from "../store.ts";

/** An instance as the memory holds it. */
export interface MemoryInstance extends Instance, NewInstance {
  readonly lease: string | undefined;
  /** Counted up: who came first among those of one time. */
  readonly place: number;
}

/** What an instance has that nobody holds. */
export const free: Pick<MemoryInstance, "lease" | "leased_until"> = { lease: undefined, leased_until: undefined };

/** What an instance has that was never begun. */
export const untouched: Omit<MemoryInstance, keyof NewInstance | "updated_at" | "place"> = {
  ...free,
  status: "pending",
  tries: 0,
  last_error: undefined,
  last_error_at: undefined,
  started_at: undefined,
  finished_at: undefined,
};
