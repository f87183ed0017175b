import { Configuration, Schema, Webhook } from "limmat";
import { failure, type Request, Response } from "limmat/web";
import * as Order from "../../app/domain/order/order.ts";
import { settle } from "../../app/domain/order/payment.ts";
import { webhook } from "../../service/service.ts";
import { userContext } from "../middleware/user-context.ts";

// The provider for trials signs with it. Everybody knows it.
const trialSecret = "whsec_dGhlIHByb3ZpZGVyIGZvciB0cmlhbHM=";

export const paymentSecret = Configuration.secret("PAYMENT_WEBHOOK_SECRET", {
  description: "secret that signs the webhooks of the payment provider",
  required: ["production"],
  default: trialSecret,
  validate: (value) => (value === trialSecret ? "must not be that of the provider for trials" : undefined),
});

/** What the customer pays. */
export const payment = Schema.record({ order: Schema.uuid(), amount: Schema.decimal() });

/** Sends the customer to the page of the provider. */
export async function pay(request: Request<{ readonly id: string }>): Promise<Response> {
  const order = await Order.find(request.params.id, { ctx: await userContext(request) });
  if (order?.state !== "open") throw failure(404);
  return Response.redirect(`${request.prefix}/provider?order=${order.id}&amount=${order.total}`);
}

const succeeded = Schema.record({ type: Schema.oneOf(["payment.succeeded"]), data: payment });

/** Receives the report of the provider. Only this proves a payment; events of other types are ignored. */
export async function receive(request: Request): Promise<Response> {
  const event = await Webhook.verify(request, { secrets: [Configuration.read(paymentSecret)] });
  const { value } = succeeded.decodeJson(event.content);
  if (value !== undefined) await webhook.once(event.id, () => settle(value.data.order, value.data.amount));
  return Response.empty(204);
}
