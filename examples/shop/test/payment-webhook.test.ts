import assert from "node:assert/strict";
import { Webhook } from "limmat";
import { capturedLog, configuration } from "limmat/testing";
import { app } from "../run/run.ts";
import { test, useServices } from "./setup.ts";

useServices();

const secret = Webhook.createSecret();
const data = { order: "9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01", amount: "9.00" };
const content = { type: "payment.succeeded", data };

test("an event of payment is handled once", async () => {
  using log = capturedLog();
  assert.deepEqual([await send("evt_1"), await send("evt_1"), await send("evt_2")], [204, 204, 204]);
  assert.equal(log.messages().filter((message) => message === "A payment matches no open order").length, 2);
});

test("an event of payment is refused if another secret has signed it", async () => {
  assert.equal(await send("evt_1", Webhook.createSecret()), 401);
});

/** Sends an event as its sender does, and returns the status of the response. */
async function send(id: string, signedBy = secret): Promise<number> {
  using _ = configuration({ PAYMENT_SECRET: secret });
  const body = JSON.stringify(content);
  const headers = { ...Webhook.sign(body, { id, secrets: [signedBy] }) };
  return (await app.request("/webhooks/payment", { method: "POST", body, headers })).status;
}
