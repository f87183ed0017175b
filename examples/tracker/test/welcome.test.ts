import assert from "node:assert/strict";
import { visitor } from "limmat/testing";
import { app } from "../run/run.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("the start page says what the tracker is for", async () => {
  const { status, body } = await visitor(app).get("/");
  assert.equal(status, 200);
  assert.match(body, /<h1>Tracker<\/h1>/);
  assert.match(body, /issues with labels/);
  assert.match(body, /href="\/register"/);
});

test("the readiness check succeeds", async () => {
  assert.equal((await app.request("/health/ready")).status, 200);
});
