// A payment provider for trials, in development and test only. A real one has a server of its own.
import { Configuration, Random, Webhook } from "limmat";
import { html } from "limmat/html";
import { Csrf, failure, type Middleware, type Request, Response } from "limmat/web";
import { money } from "../../app/domain/money.ts";
import { schema } from "../../app/domain/order/payment.ts";
import * as components from "../view/components.ts";
import { layout } from "../view/layout.ts";
import { paymentSecret } from "./payment.ts";

export const outsideProduction: Middleware = (handler) => (request) => {
  if (["development", "test"].includes(Configuration.readString("FRAMEWORK_ENV") ?? "")) return handler(request);
  throw failure(404);
};

export function show(request: Request): Response {
  const { form, value } = schema.decode(request.query);
  if (value === undefined) throw failure(400);
  const fields = { order: { type: "hidden" }, amount: { type: "hidden" } } as const;
  const before = html`<p>Pay ${money(value.amount)} to the shop. No money moves.</p>`;
  const options = { csrf: Csrf.find(request), submit: "Pay", cancel: `${request.prefix}/orders/${value.order}` };
  const content = html`<h1>Example Pay</h1> ${components.formOf(schema, form, { ...options, before, fields })}`;
  return Response.html(layout(request, "Payment", content));
}

/** Reports a payment to the shop, and sends the customer back. */
export async function pay(request: Request): Promise<Response> {
  const { value: data } = schema.decode(await request.form());
  if (data === undefined) throw failure(400);
  const body = JSON.stringify({ type: "payment.succeeded", data });
  const secret = Configuration.read(paymentSecret).reveal();
  const headers = Webhook.sign(body, { id: `evt_${Random.hex(12)}`, secrets: [secret] });
  const { ok } = await fetch(Configuration.appUrl("/webhooks/payment"), { method: "POST", body, headers });
  if (!ok) throw failure(502);
  return Response.redirect(`${request.prefix}/orders/${data.order}`);
}
