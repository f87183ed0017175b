import assert from "node:assert/strict";
import * as Product from "../app/domain/product/product.ts";
import * as ProductFactory from "./factory/product.ts";
import { test, useServices } from "./setup.ts";
import { logIn } from "./visitor.ts";

useServices();

const path = "/staff/products";

test("lists products", async () => {
  const { id } = await ProductFactory.make();
  const alice = await logIn("manager");
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${path}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("adds a product", async () => {
  const alice = await logIn("manager");
  assert.equal((await alice.get(`${path}/new`)).status, 200);
  const response = await alice.post(path, formValues(await ProductFactory.input()));
  assert.equal(response.status, 303);
  assert.equal(response.location, path);
  assert.match((await alice.follow(response)).body, /role="status"/);
  assert.equal((await Product.search())[1], 1);
});

test("shows invalid input again, with an error message", async () => {
  const alice = await logIn("manager");
  await alice.get(`${path}/new`);
  const form = formValues(await ProductFactory.input());
  const response = await alice.post(path, { ...form, name: "x".repeat(256) });
  assert.equal(response.status, 422);
  assert.match(response.body, /<p class="error" id="name-error">[^<]+</);
  assert.deepEqual(await Product.search(), [[], 0]);
});

test("shows and edits a product", async () => {
  const { id, ...stored } = await ProductFactory.make();
  const alice = await logIn("manager");
  assert.equal((await alice.get(`${path}/${id}`)).status, 200);
  assert.equal((await alice.get(`${path}/${id}/edit`)).status, 200);
  const input = await ProductFactory.otherInput();
  const response = await alice.put(`${path}/${id}`, { ...formValues(input), version: String(stored.version) });
  assert.equal(response.location, `${path}/${id}`);
  const product = await Product.find(id);
  assert.deepEqual({ ...product, ...input }, product);
});

test("deletes a product and returns to the same page of the list", async () => {
  const { id } = await ProductFactory.make();
  const alice = await logIn("manager");
  await alice.get(path);
  const response = await alice.delete(`${path}/${id}?limit=10`);
  assert.equal(response.location, `${path}?limit=10`);
  assert.equal((await alice.get(`${path}/${id}`)).status, 404);
});

/** Encodes input as a browser does: an empty field is sent as an empty text, an unchecked checkbox is not sent. */
function formValues(input: Product.Input): Readonly<Record<string, string>> {
  const form = Product.schema.fill(input).filter(([, value]) => value !== "false");
  return Object.fromEntries(form.map(([name, value]) => [name, value ?? ""]));
}
