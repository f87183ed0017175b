import assert from "node:assert/strict";
import { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import * as Comment from "../app/domain/comment/comment.ts";
import * as CommentFactory from "./factory/comment.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const itemPath = "/comments";

test("lists comments", async () => {
  const context = await CommentFactory.context();
  const path = `/issues/${context.params.issue}/comments`;
  const { id } = await CommentFactory.make({}, context);
  const alice = await loggedIn(context);
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${itemPath}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds a comment", async () => {
  const context = await CommentFactory.context();
  const path = `/issues/${context.params.issue}/comments`;
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await CommentFactory.input()));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Comment.search({}, context))[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const context = await CommentFactory.context();
  const path = `/issues/${context.params.issue}/comments`;
  const alice = await loggedIn(context);
  await alice.get(`${path}/new`);
  const form = formValues(await CommentFactory.input());
  const response = await alice.post(path, { ...form, text: "x".repeat(65_536) });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="text-error">[^<]+</);
  assert.deepEqual(await Comment.search({}, context), [[], 0]);
});

test("shows and edits a comment", async () => {
  const context = await CommentFactory.context();
  const { id, ...stored } = await CommentFactory.make({}, context);
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 200);
  assert.equal((await alice.get(`${itemPath}/${id}/edit`)).status, 200);
  const input = await CommentFactory.otherInput();
  const response = await alice.put(`${itemPath}/${id}`, { ...formValues(input), version: String(stored.version) });
  assert.equal(response.location, `${itemPath}/${id}`);
  const comment = await Comment.find(id, context);
  assert.deepEqual({ ...comment, ...input }, comment);
});

test("deletes a comment and returns to the same page of the list", async () => {
  const context = await CommentFactory.context();
  const path = `/issues/${context.params.issue}/comments`;
  const { id } = await CommentFactory.make({}, context);
  const alice = await loggedIn(context);
  await alice.get(path);
  const response = await alice.delete(`${itemPath}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 404);
});

/** Returns a visitor who is logged in as the user of the options. */
async function loggedIn({ ctx }: Comment.Options): Promise<Visitor> {
  const { email } = await user.find(Context.get(ctx, "user_id") ?? "");
  const device = visitor(app);
  await device.get("/login");
  const { password } = CommentFactory;
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return device;
}

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Comment.Input): Readonly<Record<string, string>> {
  const form = Comment.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
