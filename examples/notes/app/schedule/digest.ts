import { Schedule } from "limmat";
import { database, queue } from "../../service/service.ts";
import { dispatchWeeklyDigests } from "../domain/digest/digest.ts";

export const weeklyDigest = Schedule.make({
  name: "digest.weekly",
  description: "Sends all authors the number of their notes of the week",
  cron: "0 7 * * MON",
  timeZone: "Europe/Zurich",
  dependencies: () => [database, queue],
  run: ({ slot }) => dispatchWeeklyDigests(slot),
});
