import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Attachment from "../app/domain/attachment/attachment.ts";
import * as AttachmentFactory from "./factory/attachment.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts an attachment and finds it", async () => {
  const context = await AttachmentFactory.context();
  const input = await AttachmentFactory.input();
  const result = await Attachment.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Attachment.find(result.value.id, context), result.value);
  assert.equal(await Attachment.find(unknownId, context), undefined);
});

test("updates an attachment", async () => {
  const context = await AttachmentFactory.context();
  const attachment = await AttachmentFactory.make({}, context);
  const input = await AttachmentFactory.otherInput();
  const result = await Attachment.update(attachment.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Attachment.find(attachment.id, context), result.value);
  await assert.rejects(Attachment.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await AttachmentFactory.context();
  const { id, version } = await AttachmentFactory.make({}, context);
  const input = await AttachmentFactory.otherInput();
  assert.equal((await Attachment.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Attachment.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes an attachment", async () => {
  const context = await AttachmentFactory.context();
  const attachment = await AttachmentFactory.make({}, context);
  assert.equal((await Attachment.delete(attachment, context)).ok, true);
  assert.equal(await Attachment.find(attachment.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await AttachmentFactory.context();
  const make = () => AttachmentFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Attachment.search({ limit: 2 }, context);
  const [second, sameTotal] = await Attachment.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Attachment.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Attachment.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await AttachmentFactory.context();
  const input = { ...(await AttachmentFactory.input()), name: "10% Odd" };
  const { id } = await AttachmentFactory.make(input, context);
  await AttachmentFactory.make({}, context);
  const [matches, total] = await Attachment.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Attachment.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["name", "x".repeat(256)]] as const;
  const { form, value } = Attachment.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "name")[1], undefined);
});
