import assert from "node:assert/strict";
import * as ActivityFactory from "./factory/activity.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

const itemPath = "/activities";

test("lists activities", async () => {
  const context = await ActivityFactory.context();
  const path = `/projects/${context.params.project}/activities`;
  const { id } = await ActivityFactory.make({}, context);
  const alice = await loggedIn(context);
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${itemPath}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("shows an activity, which nobody can change", async () => {
  const context = await ActivityFactory.context();
  const { id } = await ActivityFactory.make({}, context);
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 200);
  assert.equal((await alice.get(`${itemPath}/${id}/edit`)).status, 404);
});
