import { Configuration, Schema, Webhook } from "limmat";
import { type Request, Response } from "limmat/web";
import * as Payment from "../../app/domain/order/payment.ts";
import { webhook } from "../../service/service.ts";

// The provider for trials signs with it. Everybody knows it.
const trialSecret = "whsec_dGhlIHByb3ZpZGVyIGZvciB0cmlhbHM=";

export const paymentSecret = Configuration.secret("PAYMENT_SECRET", {
  description: "secrets of the webhooks of payment, separated by commas",
  required: ["production"],
  default: trialSecret,
  validate: (value) => (value.includes(trialSecret) ? "must not be that of the provider for trials" : undefined),
});

const succeeded = Schema.record({ type: Schema.oneOf(["payment.succeeded"]), data: Payment.schema });

/** Receives the webhooks of payment, each event once. Only they prove a payment; other types are ignored. */
export async function payment(request: Request): Promise<Response> {
  const secrets = Configuration.read(paymentSecret).reveal().split(",");
  const { id, content } = await Webhook.verify(request, { secrets });
  await webhook.once(id, async () => {
    const { value } = succeeded.decodeJson(content);
    if (value !== undefined) await Payment.settle(value.data);
  });
  return Response.empty(204);
}
