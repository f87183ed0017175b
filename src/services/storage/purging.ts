import type { ContextOptions } from "../../core/index.ts";
import { Time } from "../../time/index.ts";

/** What a process that was killed in the middle of a `put` left behind is deleted, once a day. */
export interface Purging {
  /** Deletes what is left of files that were begun more than a day ago and never ended. */
  purge(options?: ContextOptions): Promise<void>;
  /** Does so every day, where there is a schedule service. */
  readonly schedules: readonly [
    {
      readonly name: string;
      readonly description: string;
      readonly every: number;
      readonly run: (call: ContextOptions) => Promise<void>;
    },
  ];
}

const longestPut = Time.days(1);

/** The operation and the schedule of a storage that can delete what was begun before a point in time. */
export function purging(name: string, deleteBefore: (before: Date, options: ContextOptions) => Promise<void>): Purging {
  const purge: Purging["purge"] = (options = {}) => deleteBefore(new Date(Time.timestamp() - longestPut), options);
  const description = "Deletes what is left of files that could not be stored";
  return {
    purge,
    schedules: [{ name: `${name}.purge`, description, every: Time.days(1), run: (call) => purge(call) }],
  };
}
