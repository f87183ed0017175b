import assert from "node:assert/strict";
import { capturedLog } from "limmat/testing";
import * as Greeting from "../app/domain/greeting/greeting.ts";
import { schedule } from "../run/run.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("the daily schedule writes a greeting to the log", async () => {
  await Greeting.insert({ text: "Bun di" });
  using log = capturedLog();
  await schedule.runNow("greeting.daily");
  assert.ok(log.messages().includes("Bun di"));
});
