import assert from "node:assert/strict";
import { Configuration, Webhook } from "limmat";
import { configuration, runCommand, type Visitor, visitor } from "limmat/testing";
import * as Product from "../app/domain/product/product.ts";
import { app } from "../run/run.ts";
import { paymentSecret } from "../web/handler/payment.ts";
import { email, queue } from "../service/service.ts";
import * as ProductFactory from "./factory/product.ts";
import { test, useServices } from "./setup.ts";
import { logIn } from "./visitor.ts";

useServices();

const address = { name: "Ada", street: "Lane 1", zip: "8000", city: "Zurich" };

const stockOf = async ({ id }: Product.Product): Promise<number | undefined> => (await Product.find(id))?.stock;

/** Puts pieces of a product into the cart of a visitor. */
async function fillCart(device: Visitor, { id }: Product.Product, count: number): Promise<void> {
  await device.get(`/products/${id}`);
  assert.equal((await device.post("/cart", { product: id, count: String(count) })).location, "/cart");
}

/** Goes through the first step of the checkout, and returns the form of the second. */
async function checkOut(device: Visitor): Promise<Readonly<Record<string, string>>> {
  await device.get("/checkout");
  const { body } = await device.follow(await device.post("/checkout", address));
  return { total: /name="total" value="([^"]+)"/.exec(body)?.[1] ?? "" };
}

/** Orders a product and returns the path of the order. */
async function order(device: Visitor, product: Product.Product, count: number): Promise<string> {
  await fillCart(device, product, count);
  const placed = await device.post("/orders", await checkOut(device));
  return placed.location?.replace("/payment", "") ?? "";
}

/** Reports a payment as the provider does, and returns the status of the response. */
async function report(path: string, amount: string, id: string): Promise<number> {
  const body = JSON.stringify({ type: "payment.succeeded", data: { order: path.replace("/orders/", ""), amount } });
  const headers = { ...Webhook.sign(body, { id, secrets: [Configuration.read(paymentSecret).reveal()] }) };
  return (await app.request("/webhooks/payment", { method: "POST", body, headers })).status;
}

test("a cart survives the login, and becomes an order in two steps", async () => {
  const ada = visitor(app);
  const product = await ProductFactory.make({ price: "4.50", stock: 5 });
  await fillCart(ada, product, 2);
  assert.equal((await ada.get("/checkout")).location, "/login?return_to=%2Fcheckout");
  await logIn(undefined, ada);
  assert.match((await ada.get("/cart")).body, /CHF\s9\.00/);
  await ada.get("/checkout");
  assert.equal((await ada.post("/checkout", { ...address, zip: "" })).status, 422);
  const placed = await ada.post("/orders", await checkOut(ada));
  assert.match(placed.location ?? "", /^\/orders\/[\w-]{36}\/payment$/);
  assert.match((await ada.get(placed.location ?? "")).location ?? "", /^\/provider\?order=[\w-]{36}&amount=9\.00$/);
  assert.equal(await stockOf(product), 3);
  assert.match((await ada.get("/cart")).body, /The cart is empty/);
});

test("two clicks on Buy now make one order", async () => {
  const ada = await logIn();
  const product = await ProductFactory.make({ stock: 5 });
  await fillCart(ada, product, 1);
  const form = await checkOut(ada);
  const [first, second] = await Promise.all([ada.post("/orders", form), ada.post("/orders", form)]);
  assert.equal(first.location, second.location);
  assert.equal(await stockOf(product), 4);
  assert.match((await ada.get("/orders")).body, /1 to 1 of 1/);
});

test("of two customers, the second finds the last piece sold out, and nothing of that order is stored", async () => {
  const [ada, bob] = [await logIn(), await logIn()];
  const [lamp, book] = [await ProductFactory.make({ stock: 1 }), await ProductFactory.make({ stock: 9 })];
  for (const device of [ada, bob]) {
    await fillCart(device, book, 2);
    await fillCart(device, lamp, 1);
  }
  const [first, second] = [await checkOut(ada), await checkOut(bob)];
  await ada.post("/orders", first);
  const page = await bob.follow(await bob.post("/orders", second));
  assert.ok(page.body.includes(`role="alert">${lamp.name} is sold out<`));
  assert.deepEqual([await stockOf(lamp), await stockOf(book)], [0, 7]);
  assert.match((await bob.get("/orders")).body, /No orders/);
});

test("only a report of the right amount pays an order, and the customer gets one mail", async () => {
  const ada = await logIn();
  const path = await order(ada, await ProductFactory.make({ price: "4.50" }), 2);
  const isPaid = async (): Promise<boolean> => (await ada.get(path)).body.includes("Paid");
  assert.equal(await report(path, "0.01", "evt_2"), 204);
  assert.equal(await isPaid(), false);
  for (const id of ["evt_3", "evt_3", "evt_4"]) assert.equal(await report(path, "9.00", id), 204);
  assert.equal(await isPaid(), true);
  await queue.runDue();
  const subjects = email.inbox.to(ada.email).map(({ subject }) => subject);
  assert.deepEqual(subjects, ["Your order"]);
});

test("in production, the webhooks need a secret, and refuse that of the provider for trials", async () => {
  for (const values of [{}, { PAYMENT_SECRET: Configuration.read(paymentSecret).reveal() }]) {
    using _ = configuration({ FRAMEWORK_ENV: "production", ...values });
    assert.match((await runCommand(app, "config", "--check")).stderr, /^ +PAYMENT_SECRET /m);
  }
});

test("packers ship orders, managers also change products and download all orders", async () => {
  const [ada, packer, manager] = [await logIn(), await logIn("packer"), await logIn("manager")];
  const path = await order(ada, await ProductFactory.make(), 1);
  await report(path, "12.50", "evt_5");
  const statuses = (url: string) => Promise.all([ada, packer, manager].map(async (who) => (await who.get(url)).status));
  assert.deepEqual(await statuses(path), [200, 200, 200]);
  assert.deepEqual(await statuses("/staff/products"), [403, 403, 200]);
  assert.deepEqual(await statuses("/staff/orders.csv"), [403, 403, 200]);
  assert.match((await manager.get("/staff/orders.csv")).body, /"paid","12\.50","Ada"/);
  assert.equal((await (await logIn()).get(path)).status, 404);
  assert.equal((await ada.post(`${path}/shipped`)).status, 403);
  await packer.get(path);
  assert.match((await packer.follow(await packer.post(`${path}/shipped`))).body, /Shipped/);
});
