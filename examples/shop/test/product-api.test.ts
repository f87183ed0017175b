import assert from "node:assert/strict";
import * as Product from "../app/domain/product/product.ts";
import * as ProductFactory from "./factory/product.ts";
import { app } from "../run/run.ts";
import { token } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const path = "/api/products";

test("lists products by page, with the total number", async () => {
  await ProductFactory.make();
  await ProductFactory.make();
  const { status, body } = await requestJson("GET", `${path}?limit=1`);
  assert.equal(status, 200);
  const { data, ...paging } = body as { readonly data: readonly { readonly id: string }[] };
  assert.deepEqual([data.length, paging], [1, { total: 2, limit: 1, offset: 0 }]);
  const shown = await requestJson("GET", `${path}/${data[0]?.id}`);
  assert.deepEqual(shown.body, data[0]);
});

test("adds a product and responds with its location", async () => {
  const { status, body, location } = await requestJson("POST", path, await ProductFactory.input());
  assert.equal(status, 201);
  const response = await requestJson("GET", location ?? "");
  assert.deepEqual([response.status, response.body], [200, body]);
});

test("reports invalid input by field", async () => {
  const input = await ProductFactory.input();
  const { status, body } = await requestJson("POST", path, { ...input, name: undefined });
  assert.equal(status, 422);
  const { errors } = body as { readonly errors: Readonly<Record<string, string>> };
  assert.deepEqual(Object.keys(errors), ["name"]);
  assert.deepEqual(await Product.search(), [[], 0]);
});

test("replaces a product with PUT and changes single fields with PATCH", async () => {
  const { id, version } = await ProductFactory.make();
  const input = await ProductFactory.otherInput();
  assert.equal((await requestJson("PUT", `${path}/${id}`, { ...input, version })).status, 200);
  const product = await Product.find(id);
  assert.deepEqual({ ...product, ...input }, product);

  const { name: newValue } = await ProductFactory.input();
  const part = { name: newValue };
  const change = { ...part, version: version + 1 };
  assert.equal((await requestJson("PATCH", `${path}/${id}`, change)).status, 200);
  const changed = await Product.find(id);
  assert.deepEqual({ ...changed, ...input, ...part }, changed);
});

test("deletes a product", async () => {
  const { id, version } = await ProductFactory.make();
  assert.equal((await requestJson("DELETE", `${path}/${id}`, { version })).status, 204);
  const { status, body } = await requestJson("GET", `${path}/${id}`);
  assert.deepEqual([status, (body as { readonly status: number }).status], [404, 404]);
});

test("refuses clients without a token", async () => {
  assert.equal((await app.request(`${path}/00000000-0000-4000-8000-000000000000`)).status, 401);
});

interface JsonResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: unknown;
}

async function requestJson(method: string, url: string, input?: unknown): Promise<JsonResponse> {
  const authorization = `Bearer ${await token.create({}, { purpose: "api" })}`;
  const headers = { accept: "application/json", "content-type": "application/json", authorization };
  const body = input === undefined ? null : JSON.stringify(input);
  const response = await app.request(url, { method, headers, body });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get("location") ?? undefined,
    body: text === "" ? undefined : JSON.parse(text),
  };
}
