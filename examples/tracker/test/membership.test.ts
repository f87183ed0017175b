import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Membership from "../app/domain/membership/membership.ts";
import * as MembershipFactory from "./factory/membership.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts a membership and finds it", async () => {
  const context = await MembershipFactory.context();
  const input = await MembershipFactory.input();
  const result = await Membership.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Membership.find(result.value.id), result.value);
  assert.equal(await Membership.find(unknownId), undefined);
});

test("updates a membership", async () => {
  const membership = await MembershipFactory.make();
  const input = await MembershipFactory.otherInput();
  const result = await Membership.update(membership.id, input);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Membership.find(membership.id), result.value);
  assert.equal((await Membership.update(unknownId, input)).ok, false);
});

test("does not overwrite a change that came first", async () => {
  const { id, version } = await MembershipFactory.make();
  const input = await MembershipFactory.otherInput();
  assert.equal((await Membership.update(id, input, { version })).ok, true);
  await assert.rejects(Membership.update(id, input, { version }), { code: "E_STALE" });
});

test("deletes a membership", async () => {
  const membership = await MembershipFactory.make();
  assert.equal((await Membership.delete(membership)).ok, true);
  assert.equal(await Membership.find(membership.id), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await MembershipFactory.context();
  const make = () => MembershipFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Membership.search({ limit: 2 }, context);
  const [second, sameTotal] = await Membership.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Membership.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const ids = [...first, ...second].map(({ id }) => id);
  assert.deepEqual(new Set(ids), new Set(created.map(({ id }) => id)));
  const [ascending] = await Membership.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    ids.toReversed(),
  );
});

test("refuses invalid input", () => {
  const input = [["member_id", "none"]] as const;
  const { form, value } = Membership.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "member_id")[1], undefined);
});

test("refuses a second membership with the same member", async () => {
  const context = await MembershipFactory.context();
  const { member_id: aValue } = await MembershipFactory.make({}, context);
  const input = { ...(await MembershipFactory.input()), member_id: aValue };
  const result = await Membership.insert(input, context);
  assert.ok(!result.ok);
  assert.deepEqual(result.error, { member_id: "This member is taken" });
});
