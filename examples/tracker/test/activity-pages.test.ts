import assert from "node:assert/strict";
import { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import type * as Activity from "../app/domain/activity/activity.ts";
import * as ActivityFactory from "./factory/activity.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

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

/** Returns a visitor who is logged in as the user of the options. */
async function loggedIn({ ctx }: Activity.Options): Promise<Visitor> {
  const { email } = await user.find(Context.get(ctx, "user_id") ?? "");
  const device = visitor(app);
  await device.get("/login");
  const { password } = ActivityFactory;
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return device;
}
