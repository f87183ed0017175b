import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Comment from "../app/domain/comment/comment.ts";
import * as CommentFactory from "./factory/comment.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts a comment and finds it", async () => {
  const context = await CommentFactory.context();
  const input = await CommentFactory.input();
  const result = await Comment.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Comment.find(result.value.id, context), result.value);
  assert.equal(await Comment.find(unknownId, context), undefined);
});

test("updates a comment", async () => {
  const context = await CommentFactory.context();
  const comment = await CommentFactory.make({}, context);
  const input = await CommentFactory.otherInput();
  const result = await Comment.update(comment.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Comment.find(comment.id, context), result.value);
  await assert.rejects(Comment.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await CommentFactory.context();
  const { id, version } = await CommentFactory.make({}, context);
  const input = await CommentFactory.otherInput();
  assert.equal((await Comment.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Comment.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes a comment", async () => {
  const context = await CommentFactory.context();
  const comment = await CommentFactory.make({}, context);
  assert.equal((await Comment.delete(comment, context)).ok, true);
  assert.equal(await Comment.find(comment.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await CommentFactory.context();
  const make = () => CommentFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Comment.search({ limit: 2 }, context);
  const [second, sameTotal] = await Comment.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Comment.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Comment.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await CommentFactory.context();
  const input = { ...(await CommentFactory.input()), text: "10% Odd" };
  const { id } = await CommentFactory.make(input, context);
  await CommentFactory.make({}, context);
  const [matches, total] = await Comment.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Comment.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["text", "x".repeat(65_536)]] as const;
  const { form, value } = Comment.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "text")[1], undefined);
});
