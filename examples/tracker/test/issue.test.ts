import assert from "node:assert/strict";
import { Form } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Issue from "../app/domain/issue/issue.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as LabelFactory from "./factory/label.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts an issue and finds it", async () => {
  const context = await IssueFactory.context();
  const input = await IssueFactory.input(context);
  const result = await Issue.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Issue.find(result.value.id, context), result.value);
  assert.equal(await Issue.find(unknownId, context), undefined);
});

test("updates an issue", async () => {
  const context = await IssueFactory.context();
  const issue = await IssueFactory.make({}, context);
  const input = await IssueFactory.otherInput(context);
  const result = await Issue.update(issue.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Issue.find(issue.id, context), result.value);
  await assert.rejects(Issue.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await IssueFactory.context();
  const { id, version } = await IssueFactory.make({}, context);
  const input = await IssueFactory.otherInput(context);
  assert.equal((await Issue.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Issue.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes an issue", async () => {
  const context = await IssueFactory.context();
  const issue = await IssueFactory.make({}, context);
  assert.equal((await Issue.delete(issue, context)).ok, true);
  assert.equal(await Issue.find(issue.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await IssueFactory.context();
  const make = () => IssueFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Issue.search({ limit: 2 }, context);
  const [second, sameTotal] = await Issue.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Issue.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Issue.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await IssueFactory.context();
  const input = { ...(await IssueFactory.input(context)), title: "10% Odd" };
  const { id } = await IssueFactory.make(input, context);
  await IssueFactory.make({}, context);
  const [matches, total] = await Issue.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Issue.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["title", "x".repeat(256)]] as const;
  const { form, value } = Issue.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "title")[1], undefined);
});

test("refuses a user who does not see the project as assignee_id", async () => {
  const context = await IssueFactory.context();
  const { id } = await IssueFactory.make({}, context);
  const input = {
    ...(await IssueFactory.input(context)),
    assignee_id: actingUser({ ctx: await IssueFactory.newUserContext() }).id,
  };
  const results = [await Issue.insert(input, context), await Issue.update(id, input, context)];
  const errors = { assignee_id: "Please choose a member" };
  for (const result of results) assert.deepEqual(result.ok || result.error, errors);
});

test("refuses a label of another project as label_ids", async () => {
  const context = await IssueFactory.context();
  const { id } = await IssueFactory.make({}, context);
  const input = { ...(await IssueFactory.input(context)), label_ids: [(await LabelFactory.make()).id] };
  const results = [await Issue.insert(input, context), await Issue.update(id, input, context)];
  const errors = { label_ids: "Please choose labels of this project" };
  for (const result of results) assert.deepEqual(result.ok || result.error, errors);
});
