import { Log, Schedule } from "limmat";
import { database } from "../../service/service.ts";
import * as Greeting from "../domain/greeting/greeting.ts";

const log = Log.source("app.schedule");

/** Writes a random greeting to the log every morning. */
export const greetingDaily = Schedule.make({
  name: "greeting.daily",
  description: "Writes a random greeting to the log",
  cron: "0 7 * * *",
  dependencies: () => [database],
  run: async () => log.info((await Greeting.random())?.text ?? "Hello"),
});
