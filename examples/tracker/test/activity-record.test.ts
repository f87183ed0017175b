import assert from "node:assert/strict";
import * as Activity from "../app/domain/activity/activity.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as CommentFactory from "./factory/comment.ts";
import * as IssueFactory from "./factory/issue.ts";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

/** Returns the entries of the project, the oldest first. */
async function recorded(context: Issue.ListOptions): Promise<readonly string[]> {
  const [items] = await Activity.search({ sort: "asc" }, context);
  return items.map(({ event, subject }) => `${event}: ${subject}`);
}

test("the project records who opens, comments on, changes, closes and deletes an issue", async () => {
  const context = await IssueFactory.context();
  const issue = await IssueFactory.make({ title: "The door creaks" }, context);
  await CommentFactory.make({}, { ...context, params: { issue: issue.id } });
  const input = { ...(await IssueFactory.input(context)), title: "The door squeaks" };
  assert.ok((await Issue.update(issue.id, input, context)).ok);
  const closed = await Issue.update(issue.id, { ...input, state: "closed" }, context);
  assert.ok(closed.ok);
  assert.ok((await Issue.delete(closed.value, context)).ok);
  assert.deepEqual(await recorded(context), [
    "opened: The door creaks",
    "commented: The door creaks",
    "changed: The door squeaks",
    "closed: The door squeaks",
    "deleted: The door squeaks",
  ]);
});

test("a transaction that fails leaves neither the issue nor the entry", async () => {
  const context = await IssueFactory.context();
  const transaction = database.transaction(async () => {
    await IssueFactory.make({}, context);
    assert.equal((await recorded(context)).length, 1);
    throw new Error("The disk is full");
  });
  await assert.rejects(transaction, /The disk is full/);
  assert.deepEqual(await recorded(context), []);
  assert.equal((await Issue.search({}, context))[1], 0);
});
