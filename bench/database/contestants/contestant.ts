import type { Engine } from "../data.ts";

/** What a contestant does; where it answers at once it gives no promise. */
export interface Contestant {
  /** One row of `todos` by its primary key. */
  readonly find: (id: string) => unknown;
  /** One row of `numbers`, whose values all drivers give as they are. */
  readonly findNumber: (id: number) => unknown;
  /** All 1,000 rows of `todos`. */
  readonly collect: () => unknown;
  /** All 1,000 rows of `numbers`. */
  readonly collectNumbers: () => unknown;
  /** A million rows of `todos`, one after the other; calls back for each. */
  readonly stream?: (each: () => void) => Promise<void>;
  readonly close: () => unknown;
}

/** Connects a contestant to the database of a run. */
export type Open = (url: string, engine: Engine) => Promise<Contestant>;

export const columns = "id, title, done, created_at";
export const numberColumns = "id, number, title";
