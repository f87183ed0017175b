import assert from "node:assert/strict";
import * as Issue from "../app/domain/issue/issue.ts";
import * as IssueFactory from "./factory/issue.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

const itemPath = "/issues";

test("lists issues", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const { id } = await IssueFactory.make({}, context);
  const alice = await loggedIn();
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${itemPath}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds an issue", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const alice = await loggedIn();
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await IssueFactory.input()));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Issue.search({}, context))[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const alice = await loggedIn();
  await alice.get(`${path}/new`);
  const form = formValues(await IssueFactory.input());
  const response = await alice.post(path, { ...form, title: "x".repeat(256) });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="title-error">[^<]+</);
  assert.deepEqual(await Issue.search({}, context), [[], 0]);
});

test("shows and edits an issue", async () => {
  const { id, version } = await IssueFactory.make();
  const alice = await loggedIn();
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 200);
  assert.equal((await alice.get(`${itemPath}/${id}/edit`)).status, 200);
  const input = await IssueFactory.otherInput();
  const response = await alice.put(`${itemPath}/${id}`, { ...formValues(input), version: String(version) });
  assert.equal(response.location, `${itemPath}/${id}`);
  const issue = await Issue.find(id);
  assert.deepEqual({ ...issue, ...input }, issue);
});

test("deletes an issue and returns to the same page of the list", async () => {
  const context = await IssueFactory.context();
  const path = `/projects/${context.params.project}/issues`;
  const { id } = await IssueFactory.make({}, context);
  const alice = await loggedIn();
  await alice.get(path);
  const response = await alice.delete(`${itemPath}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 404);
});

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Issue.Input): Readonly<Record<string, string>> {
  const form = Issue.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
