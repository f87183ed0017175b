import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Order from "../app/domain/order/order.ts";
import * as OrderFactory from "./factory/order.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts an order and finds it", async () => {
  const context = await OrderFactory.context();
  const input = await OrderFactory.input();
  const result = await Order.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Order.find(result.value.id, context), result.value);
  assert.equal(await Order.find(unknownId, context), undefined);
});

test("updates an order", async () => {
  const context = await OrderFactory.employeeContext();
  const order = await OrderFactory.make({}, context);
  const input = await OrderFactory.otherInput();
  const result = await Order.update(order.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Order.find(order.id, context), result.value);
  await assert.rejects(Order.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await OrderFactory.employeeContext();
  const { id, version } = await OrderFactory.make({}, context);
  const input = await OrderFactory.otherInput();
  assert.equal((await Order.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(Order.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes an order", async () => {
  const context = await OrderFactory.employeeContext();
  const order = await OrderFactory.make({}, context);
  assert.equal((await Order.delete(order, context)).ok, true);
  assert.equal(await Order.find(order.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await OrderFactory.context();
  const make = () => OrderFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await Order.search({ limit: 2 }, context);
  const [second, sameTotal] = await Order.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await Order.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Order.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await OrderFactory.context();
  const input = { ...(await OrderFactory.input()), name: "10% Odd" };
  const { id } = await OrderFactory.make(input, context);
  await OrderFactory.make({}, context);
  const [matches, total] = await Order.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Order.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["name", "x".repeat(256)]] as const;
  const { form, value } = Order.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "name")[1], undefined);
});
