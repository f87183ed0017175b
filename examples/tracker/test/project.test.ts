import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Project from "../app/domain/project/project.ts";
import * as ProjectFactory from "./factory/project.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts a project and finds it", async () => {
  const context = await ProjectFactory.context();
  const input = await ProjectFactory.input();
  const result = await Project.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Project.find(result.value.id, context), result.value);
  assert.equal(await Project.find(unknownId, context), undefined);
});

test("updates a project", async () => {
  const context = await ProjectFactory.context();
  const project = await ProjectFactory.make({}, context);
  const input = await ProjectFactory.otherInput();
  const result = await Project.update(project.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Project.find(project.id, context), result.value);
  await assert.rejects(Project.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await ProjectFactory.context();
  const { id, version } = await ProjectFactory.make({}, context);
  const input = await ProjectFactory.otherInput();
  assert.equal((await Project.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Project.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes a project", async () => {
  const context = await ProjectFactory.context();
  const project = await ProjectFactory.make({}, context);
  assert.equal((await Project.delete(project, context)).ok, true);
  assert.equal(await Project.find(project.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await ProjectFactory.context();
  const make = () => ProjectFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Project.search({ limit: 2 }, context);
  const [second, sameTotal] = await Project.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Project.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Project.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await ProjectFactory.context();
  const input = { ...(await ProjectFactory.input()), name: "10% Odd" };
  const { id } = await ProjectFactory.make(input, context);
  await ProjectFactory.make({}, context);
  const [matches, total] = await Project.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Project.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["name", "x".repeat(256)]] as const;
  const { form, value } = Project.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "name")[1], undefined);
});
