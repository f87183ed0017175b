import assert from "node:assert/strict";
import * as Membership from "../app/domain/membership/membership.ts";
import * as MembershipFactory from "./factory/membership.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

const itemPath = "/memberships";

test("lists memberships", async () => {
  const context = await MembershipFactory.context();
  const path = `/teams/${context.params.team}/memberships`;
  const { id } = await MembershipFactory.make({}, context);
  const alice = await loggedIn();
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${itemPath}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds a membership", async () => {
  const context = await MembershipFactory.context();
  const path = `/teams/${context.params.team}/memberships`;
  const alice = await loggedIn();
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await MembershipFactory.input()));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Membership.search({}, context))[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const context = await MembershipFactory.context();
  const path = `/teams/${context.params.team}/memberships`;
  const alice = await loggedIn();
  await alice.get(`${path}/new`);
  const form = formValues(await MembershipFactory.input());
  const response = await alice.post(path, { ...form, member_id: "none" });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="member_id-error">[^<]+</);
  assert.deepEqual(await Membership.search({}, context), [[], 0]);
});

test("shows and edits a membership", async () => {
  const { id, version } = await MembershipFactory.make();
  const alice = await loggedIn();
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 200);
  assert.equal((await alice.get(`${itemPath}/${id}/edit`)).status, 200);
  const input = await MembershipFactory.otherInput();
  const response = await alice.put(`${itemPath}/${id}`, { ...formValues(input), version: String(version) });
  assert.equal(response.location, `${itemPath}/${id}`);
  const membership = await Membership.find(id);
  assert.deepEqual({ ...membership, ...input }, membership);
});

test("deletes a membership and returns to the same page of the list", async () => {
  const context = await MembershipFactory.context();
  const path = `/teams/${context.params.team}/memberships`;
  const { id } = await MembershipFactory.make({}, context);
  const alice = await loggedIn();
  await alice.get(path);
  const response = await alice.delete(`${itemPath}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 404);
});

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Membership.Input): Readonly<Record<string, string>> {
  const form = Membership.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
