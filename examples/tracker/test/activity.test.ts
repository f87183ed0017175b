import assert from "node:assert/strict";
import { Form } from "limmat";
import { actingUser } from "../app/domain/acting-user.ts";
import * as Activity from "../app/domain/activity/activity.ts";
import * as ActivityFactory from "./factory/activity.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts an activity and finds it", async () => {
  const context = await ActivityFactory.context();
  const input = await ActivityFactory.input(context);
  const result = await Activity.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Activity.find(result.value.id, context), result.value);
  assert.equal(await Activity.find(unknownId, context), undefined);
});

test("updates an activity", async () => {
  const context = await ActivityFactory.context();
  const activity = await ActivityFactory.make({}, context);
  const input = await ActivityFactory.otherInput(context);
  const result = await Activity.update(activity.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Activity.find(activity.id, context), result.value);
  await assert.rejects(Activity.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await ActivityFactory.context();
  const { id, version } = await ActivityFactory.make({}, context);
  const input = await ActivityFactory.otherInput(context);
  assert.equal((await Activity.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Activity.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes an activity", async () => {
  const context = await ActivityFactory.context();
  const activity = await ActivityFactory.make({}, context);
  assert.equal((await Activity.delete(activity, context)).ok, true);
  assert.equal(await Activity.find(activity.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await ActivityFactory.context();
  const make = () => ActivityFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Activity.search({ limit: 2 }, context);
  const [second, sameTotal] = await Activity.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Activity.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Activity.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await ActivityFactory.context();
  const input = { ...(await ActivityFactory.input(context)), subject: "10% Odd" };
  const { id } = await ActivityFactory.make(input, context);
  await ActivityFactory.make({}, context);
  const [matches, total] = await Activity.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Activity.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["event", "none of these"]] as const;
  const { form, value } = Activity.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "event")[1], undefined);
});

test("refuses a user who does not see the project as actor_id", async () => {
  const context = await ActivityFactory.context();
  const { id } = await ActivityFactory.make({}, context);
  const input = {
    ...(await ActivityFactory.input(context)),
    actor_id: actingUser({ ctx: await ActivityFactory.newUserContext() }).id,
  };
  const results = [await Activity.insert(input, context), await Activity.update(id, input, context)];
  const errors = { actor_id: "Please choose a member" };
  for (const result of results) assert.deepEqual(result.ok || result.error, errors);
});
