import assert from "node:assert/strict";
import { fakeClock } from "limmat/testing";
import { orderDigest } from "../app/schedule/order-digest.ts";
import { schedule } from "../run/run.ts";
import { email, queue } from "../service/service.ts";
import * as OrderFactory from "./factory/order.ts";
import { test, useServices } from "./setup.ts";
import { logIn } from "./visitor.ts";

useServices();

test("order.digest mails the orders of a day to the managers", async () => {
  const { email: address } = await logIn("manager");
  await OrderFactory.make();
  await OrderFactory.make({ total: "0.90" });
  using _ = fakeClock(new Date(Date.now() + 1000));
  await schedule.runNow("order.digest");
  await queue.runDue();
  assert.match(email.inbox.to(address)[0]?.text ?? "", /Orders: 2\s+Total: CHF\s13\.40/);
});

test("order.digest runs every night at three (UTC)", () => {
  const nextRun = orderDigest.next(new Date("2030-01-01T12:00:00Z"));
  assert.equal(nextRun?.toISOString(), "2030-01-02T03:00:00.000Z");
});
