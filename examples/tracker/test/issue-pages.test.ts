import assert from "node:assert/strict";
import { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as IssueFactory from "./factory/issue.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const itemPath = "/issues";

test("lists issues", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const { id } = await IssueFactory.make({}, context);
  const alice = await loggedIn(context);
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${itemPath}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds an issue", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await IssueFactory.input(context)));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Issue.search({}, context))[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const alice = await loggedIn(context);
  await alice.get(`${path}/new`);
  const form = formValues(await IssueFactory.input(context));
  const response = await alice.post(path, { ...form, title: "x".repeat(256) });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="title-error">[^<]+</);
  assert.deepEqual(await Issue.search({}, context), [[], 0]);
});

test("shows and edits an issue", async () => {
  const context = await IssueFactory.context();
  const { id, ...stored } = await IssueFactory.make({}, context);
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 200);
  assert.equal((await alice.get(`${itemPath}/${id}/edit`)).status, 200);
  const input = await IssueFactory.otherInput(context);
  const response = await alice.put(`${itemPath}/${id}`, { ...formValues(input), version: String(stored.version) });
  assert.equal(response.location, `${itemPath}/${id}`);
  const issue = await Issue.find(id, context);
  assert.deepEqual({ ...issue, ...input }, issue);
});

test("deletes an issue and returns to the same page of the list", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const { id } = await IssueFactory.make({}, context);
  const alice = await loggedIn(context);
  await alice.get(path);
  const response = await alice.delete(`${itemPath}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 404);
});

test("neither offers nor accepts a user who does not see the project, in forms and in JSON", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const alice = await loggedIn(context);
  const assignee_id = actingUser({ ctx: await IssueFactory.newUserContext() }).id;
  const form = await alice.get(`${path}/new`);
  assert.ok(!form.body.includes(assignee_id));
  const input = { ...(await IssueFactory.input(context)), assignee_id };
  const page = await alice.post(path, formValues(input));
  assert.equal(page.status, 422);
  assert.ok(page.body.includes('<p class="error" id="assignee_id-error">Please choose a member'));
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const [, csrf = ""] = /name="csrf"[^>]*value="([^"]+)"/.exec(form.body) ?? [];
  const json = "application/json";
  const headers = { cookie, "x-csrf-token": csrf, accept: json, "content-type": json };
  const response = await app.request(path, { method: "POST", headers, body: JSON.stringify(input) });
  const { errors } = (await response.json()) as { readonly errors: unknown };
  assert.deepEqual([response.status, errors], [422, { assignee_id: "Please choose a member" }]);
  assert.deepEqual(await Issue.search({}, context), [[], 0]);
});

/** Returns a visitor who is logged in as the user of the options. */
async function loggedIn({ ctx }: Issue.Options): Promise<Visitor> {
  const { email } = await user.find(Context.get(ctx, "user_id") ?? "");
  const device = visitor(app);
  await device.get("/login");
  const { password } = IssueFactory;
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return device;
}

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Issue.Input): Readonly<Record<string, string>> {
  const form = Issue.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
