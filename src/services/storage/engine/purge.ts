import type { ContextOptions } from "../../../core/index.ts";
import { Time } from "../../../time/index.ts";

/** Deletion of incomplete uploads, which remain if a process is killed during a `put`. */
export interface StoragePurge {
  /** Deletes the parts of uploads that began more than a day ago and never ended. */
  purge(options?: ContextOptions): Promise<void>;
  /** Schedule that calls `purge` daily, if the application has a schedule service. */
  readonly schedules: readonly [
    {
      readonly name: string;
      readonly description: string;
      readonly intervalMs: number;
      readonly run: (call: ContextOptions) => Promise<void>;
    },
  ];
}

const maxUploadMs = Time.days(1);

/** Returns the operation and the schedule for a store that can delete uploads that began before a point in time. */
export function storagePurge(
  name: string,
  deleteIncompleteBefore: (before: Date, options: ContextOptions) => Promise<void>,
): StoragePurge {
  const purge: StoragePurge["purge"] = (options = {}) =>
    deleteIncompleteBefore(new Date(Time.timestamp() - maxUploadMs), options);
  const description = "Deletes incomplete uploads";
  return {
    purge,
    schedules: [{ name: `${name}.purge`, description, intervalMs: Time.days(1), run: (call) => purge(call) }],
  };
}
