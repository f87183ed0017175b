import assert from "node:assert/strict";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import * as AttachmentFactory from "./factory/attachment.ts";
import { test, useServices } from "./setup.ts";
import { loggedIn } from "./visitor.ts";

useServices();

const itemPath = "/attachments";

test("lists attachments", async () => {
  const context = await AttachmentFactory.context();
  const path = `/issues/${context.params.issue}/attachments`;
  const { id } = await AttachmentFactory.make({}, context);
  const alice = await loggedIn(context);
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${itemPath}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds a file, which can be downloaded until it is deleted", async () => {
  const context = await AttachmentFactory.context();
  const path = `/issues/${context.params.issue}/attachments`;
  const alice = await loggedIn(context);
  await alice.get(`${path}/new`);
  const invalid = await alice.post(path, { file: new File([], "") });
  assert.deepEqual([invalid.status, /id="file-error">[^<]+</.test(invalid.body)], [422, true]);
  const response = await alice.post(path, { file: new File(["Hello"], "hello.txt", { type: "text/plain" }) });
  assert.equal(response.location, path);
  const [[attachment]] = await Attachment.search({}, context);
  assert.deepEqual([attachment?.name, attachment?.size], ["hello.txt", 5]);
  const filePath = `${itemPath}/${attachment?.id}/file`;
  const file = await alice.get(filePath);
  assert.deepEqual([file.status, file.body], [200, "Hello"]);
  const stranger = await loggedIn({ ctx: await AttachmentFactory.newUserContext() });
  assert.equal((await stranger.get(filePath)).status, 404);
  assert.equal((await alice.delete(`${itemPath}/${attachment?.id}`)).status, 303);
  assert.equal((await alice.get(filePath)).status, 404);
});

test("deletes an attachment and returns to the same page of the list", async () => {
  const context = await AttachmentFactory.context();
  const path = `/issues/${context.params.issue}/attachments`;
  const { id } = await AttachmentFactory.make({}, context);
  const alice = await loggedIn(context);
  await alice.get(path);
  const response = await alice.delete(`${itemPath}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${itemPath}/${id}`)).status, 404);
});
