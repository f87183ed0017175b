import assert from "node:assert/strict";
import { visitor } from "limmat/testing";
import { setPicture } from "../app/domain/product/picture.ts";
import * as ProductFactory from "./factory/product.ts";
import { app } from "../run/run.ts";
import { storage } from "../service/service.ts";
import { test, useServices } from "./setup.ts";
import { logIn } from "./visitor.ts";

useServices();

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

async function fileCount(): Promise<number> {
  let count = 0;
  for await (const _ of storage.list()) count += 1;
  return count;
}

test("the picture of a product is shown, and replaced", async () => {
  const { id } = await ProductFactory.make();
  const alice = await logIn("manager");
  const path = `/staff/products/${id}`;
  const imagePath = `${path}/picture`;
  await alice.get(path);
  assert.equal((await alice.get(imagePath)).status, 404);
  const upload = async (content: string | Buffer<ArrayBuffer>) => {
    const files = { picture: new File([content], "cat.png") };
    return alice.follow(await alice.post(imagePath, files));
  };
  for (const content of ["", "no image"]) assert.match((await upload(content)).body, /Please choose an image/);
  assert.equal(await fileCount(), 0);
  for (const content of [png, "GIF89a"]) assert.match((await upload(content)).body, /<img src/);
  const { headers } = await alice.get(imagePath);
  assert.equal(headers.get("content-type"), "image/gif");
  assert.equal(await fileCount(), 1);
  assert.match((await visitor(app).get("/products")).body, /<img src="\/products\/[\w-]+\/picture"/);
  assert.equal((await visitor(app).get(`/products/${id}/picture`)).status, 200);
});

test("a change that fails leaves no file", async () => {
  const item = await ProductFactory.make();
  const stale = { ...item, version: item.version + 1 };
  await assert.rejects(setPicture(stale, png, "image/png"), { code: "E_STALE" });
  assert.equal(await fileCount(), 0);
});
