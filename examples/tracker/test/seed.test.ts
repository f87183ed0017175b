import assert from "node:assert/strict";
import * as Team from "../app/domain/team/team.ts";
import { demo } from "../database/seed.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("the demo is created once, and its people can log in", async () => {
  await demo();
  await demo();
  const login = await user.login("grace@example.com", "a demo of the tracker");
  assert.ok(login.ok);
  const [teams, total] = await Team.search({}, { ctx: [["user_id", login.value.id]] });
  assert.deepEqual([teams.map(({ name }) => name), total], [["Railway"], 1]);
});
