import { Time } from "../../../time/index.ts";
import type { IntervalDefinition } from "../../schedule/contract.ts";
import type { TokenService } from "../contract.ts";

/** Schedules of a token service with a table, for the schedule service. */
export interface PurgeSchedule {
  /** Schedule that deletes the records of expired tokens daily. */
  readonly schedules: readonly [IntervalDefinition];
}

/** Creates the schedule of a token service. */
export function purgeSchedule(name: string, getService: () => TokenService): PurgeSchedule {
  const description = "Deletes the records of expired tokens";
  const run: IntervalDefinition["run"] = ({ ctx }) => getService().purge({ ctx });
  return { schedules: [{ name: `${name}.purge`, description, intervalMs: Time.days(1), run }] };
}
