import assert from "node:assert/strict";
import { Form } from "limmat";
import * as OrderLine from "../app/domain/order-line/order-line.ts";
import * as OrderLineFactory from "./factory/order-line.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts an order line and finds it", async () => {
  const context = await OrderLineFactory.context();
  const input = await OrderLineFactory.input();
  const result = await OrderLine.insert(input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await OrderLine.find(result.value.id, context), result.value);
  assert.equal(await OrderLine.find(unknownId, context), undefined);
});

test("updates an order line", async () => {
  const context = await OrderLineFactory.employeeContext();
  const orderLine = await OrderLineFactory.make({}, context);
  const input = await OrderLineFactory.otherInput();
  const result = await OrderLine.update(orderLine.id, input, context);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await OrderLine.find(orderLine.id, context), result.value);
  await assert.rejects(OrderLine.update(unknownId, input, context), { code: "E_POLICY_NO_ROW" });
});

test("does not overwrite a change that came first", async () => {
  const context = await OrderLineFactory.employeeContext();
  const { id, version } = await OrderLineFactory.make({}, context);
  const input = await OrderLineFactory.otherInput();
  assert.equal((await OrderLine.update(id, input, { ...context, version })).ok, true);
  await assert.rejects(OrderLine.update(id, input, { ...context, version }), { code: "E_STALE" });
});

test("deletes an order line", async () => {
  const context = await OrderLineFactory.employeeContext();
  const orderLine = await OrderLineFactory.make({}, context);
  assert.equal((await OrderLine.delete(orderLine, context)).ok, true);
  assert.equal(await OrderLine.find(orderLine.id, context), undefined);
});

test("searches by page and returns the total number", async () => {
  const context = await OrderLineFactory.context();
  const make = () => OrderLineFactory.make({}, context);
  const created = [await make(), await make(), await make()];
  const [first, total] = await OrderLine.search({ limit: 2 }, context);
  const [second, sameTotal] = await OrderLine.search({ limit: 2, offset: 2 }, context);
  const [beyond, alsoTotal] = await OrderLine.search({ offset: 10 }, context);
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await OrderLine.search({ sort: "asc" }, context);
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const context = await OrderLineFactory.context();
  const input = { ...(await OrderLineFactory.input()), name: "10% Odd" };
  const { id } = await OrderLineFactory.make(input, context);
  await OrderLineFactory.make({}, context);
  const [matches, total] = await OrderLine.search({ filter: "0% odd" }, context);
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await OrderLine.search({ filter: "0_ odd" }, context), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["product_id", "none"]] as const;
  const { form, value } = OrderLine.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "product_id")[1], undefined);
});
