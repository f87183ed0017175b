import type { Engine } from "../data.ts";

/** Operations of a contestant. A synchronous driver returns no promise. */
export interface Contestant {
  /** Reads one row of `todos` by its primary key. */
  readonly find: (id: string) => unknown;
  /** Reads one row of `numbers`, whose values need no decoding. */
  readonly findNumber: (id: number) => unknown;
  /** Reads all 1,000 rows of `todos`. */
  readonly collect: () => unknown;
  /** Reads all 1,000 rows of `numbers`. */
  readonly collectNumbers: () => unknown;
  /** Streams a million rows of `todos` and calls `onRow` for each. */
  readonly stream?: (onRow: () => void) => Promise<void>;
  readonly close: () => unknown;
}

/** Function that connects a contestant to the database of a run. */
export type Open = (url: string, engine: Engine) => Promise<Contestant>;

export const columns = "id, title, done, created_at";
export const numberColumns = "id, number, title";
