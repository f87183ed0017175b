import assert from "node:assert/strict";
import { visitor } from "limmat/testing";
import * as Greeting from "../app/domain/greeting/greeting.ts";
import { app } from "../run/run.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("the welcome page shows a greeting", async () => {
  assert.match((await visitor(app).get("/")).body, /<h1>Hello<\/h1>/);
  await Greeting.insert({ text: "Bun di" });
  assert.match((await visitor(app).get("/")).body, /<h1>Bun di<\/h1>/);
});

test("the readiness check succeeds", async () => {
  assert.equal((await app.request("/health/ready")).status, 200);
});

test("the API says hello", async () => {
  const response = await app.request("/api/hello/Ada");
  assert.deepEqual(await response.json(), { hello: "Ada" });
});
