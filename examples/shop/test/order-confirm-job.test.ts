import assert from "node:assert/strict";
import { Queue } from "limmat";
import { orderConfirm } from "../app/job/order-confirm.ts";
import { email, queue as mails } from "../service/service.ts";
import * as OrderFactory from "./factory/order.ts";
import { test, useServices } from "./setup.ts";

useServices();

const input = { order: "9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01" } as const;

test("order.confirm mails the customer", async () => {
  const queue = Queue.memory();
  queue.register(orderConfirm);
  await queue.dispatch(orderConfirm, { order: (await OrderFactory.make()).id });
  const [job] = await queue.runDue();
  assert.equal(job?.status, "succeeded");
  await mails.runDue();
  assert.match(email.inbox.all()[0]?.text ?? "", /First name.*CHF\s12\.50/s);
});

test("order.confirm refuses invalid input", async () => {
  const queue = Queue.memory();
  queue.register(orderConfirm);
  const invalid = { ...input, order: "none" };
  await assert.rejects(queue.dispatch(orderConfirm, invalid), { code: "E_QUEUE_INPUT" });
});
