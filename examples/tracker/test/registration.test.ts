import assert from "node:assert/strict";
import { visitor } from "limmat/testing";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("a person registers with the name that the teams see", async () => {
  const grace = visitor(app);
  await grace.get("/register");
  const password = "a meadow of cats";
  const form = { name: "Grace", email: "grace@example.com", password, confirmation: password };
  assert.equal((await grace.post("/register", form)).status, 303);
  assert.equal((await user.findByEmailOpt("grace@example.com"))?.name, "Grace");
});
