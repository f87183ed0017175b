import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Label from "../app/domain/label/label.ts";
import * as LabelFactory from "./factory/label.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts a label and finds it", async () => {
  const context = await LabelFactory.context();
  const input = await LabelFactory.input();
  const result = await Label.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Label.find(result.value.id, context), result.value);
  assert.equal(await Label.find(unknownId, context), undefined);
});

test("updates a label", async () => {
  const context = await LabelFactory.context();
  const label = await LabelFactory.make({}, context);
  const input = await LabelFactory.otherInput();
  const result = await Label.update(label.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Label.find(label.id, context), result.value);
  await assert.rejects(Label.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await LabelFactory.context();
  const { id, version } = await LabelFactory.make({}, context);
  const input = await LabelFactory.otherInput();
  assert.equal((await Label.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Label.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes a label", async () => {
  const context = await LabelFactory.context();
  const label = await LabelFactory.make({}, context);
  assert.equal((await Label.delete(label, context)).ok, true);
  assert.equal(await Label.find(label.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await LabelFactory.context();
  const make = () => LabelFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Label.search({ limit: 2 }, context);
  const [second, sameTotal] = await Label.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Label.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Label.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await LabelFactory.context();
  const input = { ...(await LabelFactory.input()), name: "10% Odd" };
  const { id } = await LabelFactory.make(input, context);
  await LabelFactory.make({}, context);
  const [matches, total] = await Label.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Label.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["name", "x".repeat(256)]] as const;
  const { form, value } = Label.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "name")[1], undefined);
});

test("refuses a second label with the same name", async () => {
  const context = await LabelFactory.context();
  const { name: aValue } = await LabelFactory.make({}, context);
  const input = { ...(await LabelFactory.input()), name: aValue };
  const result = await Label.insert(input, context);
  assert.ok(!result.ok);
  assert.deepEqual(result.error, { name: "This name is taken" });
});
