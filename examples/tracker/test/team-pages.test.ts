import assert from "node:assert/strict";
import { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import * as Team from "../app/domain/team/team.ts";
import * as TeamFactory from "./factory/team.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const path = "/teams";

test("lists teams", async () => {
  const context = await TeamFactory.context();
  const { id } = await TeamFactory.make({}, context);
  const alice = await loggedIn(context);
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${path}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds a team", async () => {
  const context = await TeamFactory.context();
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await TeamFactory.input()));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Team.search({}, context))[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const context = await TeamFactory.context();
  const alice = await loggedIn(context);
  await alice.get(`${path}/new`);
  const form = formValues(await TeamFactory.input());
  const response = await alice.post(path, { ...form, name: "x".repeat(256) });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="name-error">[^<]+</);
  assert.deepEqual(await Team.search({}, context), [[], 0]);
});

test("shows and edits a team", async () => {
  const context = await TeamFactory.context();
  const { id, ...stored } = await TeamFactory.make({}, context);
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${path}/${id}`)).status, 200);
  assert.equal((await alice.get(`${path}/${id}/edit`)).status, 200);
  const input = await TeamFactory.otherInput();
  const response = await alice.put(`${path}/${id}`, { ...formValues(input), version: String(stored.version) });
  assert.equal(response.location, `${path}/${id}`);
  const team = await Team.find(id, context);
  assert.deepEqual({ ...team, ...input }, team);
});

test("deletes a team and returns to the same page of the list", async () => {
  const context = await TeamFactory.context();
  const { id } = await TeamFactory.make({}, context);
  const alice = await loggedIn(context);
  await alice.get(path);
  const response = await alice.delete(`${path}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${path}/${id}`)).status, 404);
});

/** Returns a visitor who is logged in as the user of the options. */
async function loggedIn({ ctx }: Team.Options): Promise<Visitor> {
  const { email } = await user.find(Context.get(ctx, "user_id") ?? "");
  const device = visitor(app);
  await device.get("/login");
  const { password } = TeamFactory;
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return device;
}

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Team.Input): Readonly<Record<string, string>> {
  const form = Team.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
