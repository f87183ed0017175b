import { Time } from "../../time/index.ts";
import type { IntervalDefinition } from "../schedule/contract.ts";
import type { TokenService } from "./contract.ts";

/** What a token service with a table brings to the schedule service, where there is one. */
export interface Purging {
  /** Deletes what is kept of expired tokens, every day. */
  readonly schedules: readonly [IntervalDefinition];
}

/** The schedule of a token service. */
export function purging(name: string, service: () => TokenService): Purging {
  const description = "Deletes what is kept of expired tokens";
  const run: IntervalDefinition["run"] = ({ ctx }) => service().purge({ ctx });
  return { schedules: [{ name: `${name}.purge`, description, every: Time.days(1), run }] };
}
