import { Configuration, Queue, Schema } from "limmat";
import { email } from "../../service/service.ts";
import { money } from "../domain/money.ts";
import { withOwner } from "../domain/order/report.ts";
import { orderConfirmation } from "../mail/order-confirmation.ts";

/** The job `order.confirm`. A job can run more than once, so its work must be idempotent. */
export const orderConfirm = Queue.job({
  name: "order.confirm",
  input: Schema.record({ order: Schema.uuid() }),
  handle: async ({ order }) => {
    const { name, total, owner } = await withOwner(order);
    const link = Configuration.appUrl(`/orders/${order}`).href;
    await email.send({ recipient: owner.email, ...orderConfirmation({ name, total: money(total), link }) });
  },
});
