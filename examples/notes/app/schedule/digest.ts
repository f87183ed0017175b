import { Schedule } from "limmat";
import { database, queue } from "../../service/service.ts";
import { dispatchDigests } from "../domain/digest/digest.ts";

export const weeklyDigest = Schedule.make({
  name: "digest.weekly",
  description: "Mails everybody who wrote how many notes there were this week",
  cron: "0 7 * * MON",
  timeZone: "Europe/Zurich",
  dependencies: () => [database, queue],
  run: ({ slot }) => dispatchDigests(slot),
});
