import assert from "node:assert/strict";
import { Form } from "limmat";
import * as Product from "../app/domain/product/product.ts";
import * as ProductFactory from "./factory/product.ts";
import { test, useServices } from "./setup.ts";

useServices();

const unknownId = "00000000-0000-4000-8000-000000000000";

test("inserts a product and finds it", async () => {
  const input = await ProductFactory.input();
  const result = await Product.insert(input);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Product.find(result.value.id), result.value);
  assert.equal(await Product.find(unknownId), undefined);
});

test("updates a product", async () => {
  const product = await ProductFactory.make();
  const input = await ProductFactory.otherInput();
  const result = await Product.update(product.id, input);
  assert.ok(result.ok);
  assert.deepEqual(result.value, { ...result.value, ...input });
  assert.deepEqual(await Product.find(product.id), result.value);
  assert.equal((await Product.update(unknownId, input)).ok, false);
});

test("does not overwrite a change that came first", async () => {
  const { id, version } = await ProductFactory.make();
  const input = await ProductFactory.otherInput();
  assert.equal((await Product.update(id, input, { version })).ok, true);
  await assert.rejects(Product.update(id, input, { version }), { code: "E_STALE" });
});

test("deletes a product", async () => {
  const product = await ProductFactory.make();
  assert.equal((await Product.delete(product)).ok, true);
  assert.equal(await Product.find(product.id), undefined);
});

test("searches by page and returns the total number", async () => {
  const { make } = ProductFactory;
  const created = [await make(), await make(), await make()];
  const [first, total] = await Product.search({ limit: 2 });
  const [second, sameTotal] = await Product.search({ limit: 2, offset: 2 });
  const [beyond, alsoTotal] = await Product.search({ offset: 10 });
  assert.deepEqual([first.length, second.length, beyond.length], [2, 1, 0]);
  assert.deepEqual([total, sameTotal, alsoTotal], [3, 3, 3]);

  const found = [...first, ...second];
  assert.deepEqual(new Set(found), new Set(created));
  const [ascending] = await Product.search({ sort: "asc" });
  assert.deepEqual(
    ascending.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

test("searches case-insensitively", async () => {
  const input = { ...(await ProductFactory.input()), name: "10% Odd" };
  const { id } = await ProductFactory.make(input);
  await ProductFactory.make();
  const [matches, total] = await Product.search({ filter: "0% odd" });
  assert.deepEqual([matches.map((item) => item.id), total], [[id], 1]);
  assert.deepEqual(await Product.search({ filter: "0_ odd" }), [[], 0]);
});

test("refuses invalid input", () => {
  const input = [["name", "x".repeat(256)]] as const;
  const { form, value } = Product.schema.decode(input);
  assert.equal(value, undefined);
  assert.notEqual(Form.find(form, "name")[1], undefined);
});

test("refuses a second product with the same name", async () => {
  const { name: aValue } = await ProductFactory.make();
  const input = { ...(await ProductFactory.input()), name: aValue };
  const result = await Product.insert(input);
  assert.ok(!result.ok);
  assert.deepEqual(result.error, { name: "This name is taken" });
});
