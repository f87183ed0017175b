import assert from "node:assert/strict";
import { Context } from "limmat";
import { type Visitor, visitor } from "limmat/testing";
import type * as Order from "../app/domain/order/order.ts";
import * as OrderFactory from "./factory/order.ts";
import { app } from "../run/run.ts";
import { user } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

const path = "/orders";

test("lists orders", async () => {
  const context = await OrderFactory.context();
  const { id } = await OrderFactory.make({}, context);
  const alice = await loggedIn(context);
  const page = await alice.get(path);
  assert.equal(page.status, 200);
  assert.ok(page.body.includes(`href="${path}/${id}"`));
  assert.match(page.body, /1 to 1 of 1/);
});

test("shows an order", async () => {
  const context = await OrderFactory.context();
  const { id } = await OrderFactory.make({}, context);
  const alice = await loggedIn(context);
  assert.equal((await alice.get(`${path}/${id}`)).status, 200);
});

/** Returns a visitor who is logged in as the user of the options. */
async function loggedIn({ ctx }: Order.Options): Promise<Visitor> {
  const { email } = await user.find(Context.get(ctx, "user_id") ?? "");
  const device = visitor(app);
  await device.get("/login");
  const { password } = OrderFactory;
  assert.equal((await device.post("/login", { email, password })).status, 303);
  return device;
}
