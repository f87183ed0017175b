import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Team from "../app/domain/team/team.ts";
import * as TeamFactory from "./factory/team.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts a team and finds it", async () => {
  const context = await TeamFactory.context();
  const input = await TeamFactory.input();
  const result = await Team.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Team.find(result.value.id, context), result.value);
  assert.equal(await Team.find(unknownId, context), undefined);
});

test("updates a team", async () => {
  const context = await TeamFactory.context();
  const team = await TeamFactory.make({}, context);
  const input = await TeamFactory.otherInput();
  const result = await Team.update(team.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Team.find(team.id, context), result.value);
  await assert.rejects(Team.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await TeamFactory.context();
  const { id, version } = await TeamFactory.make({}, context);
  const input = await TeamFactory.otherInput();
  assert.equal((await Team.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Team.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes a team", async () => {
  const context = await TeamFactory.context();
  const team = await TeamFactory.make({}, context);
  assert.equal((await Team.delete(team, context)).ok, true);
  assert.equal(await Team.find(team.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await TeamFactory.context();
  const make = () => TeamFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Team.search({ limit: 2 }, context);
  const [second, sameTotal] = await Team.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Team.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Team.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await TeamFactory.context();
  const input = { ...(await TeamFactory.input()), name: "10% Odd" };
  const { id } = await TeamFactory.make(input, context);
  await TeamFactory.make({}, context);
  const [matches, total] = await Team.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Team.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["name", "x".repeat(256)]] as const;
  const { form, value } = Team.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "name")[1], undefined);
});
