import { Decimal, Log, Schema } from "limmat";
import { Policy } from "limmat/policy";
import { database, queue } from "../../../service/service.ts";
import { orderConfirm } from "../../job/order-confirm.ts";
import { orders } from "./repository.ts";

/** What the customer pays. */
export const schema = Schema.record({ order: Schema.uuid(), amount: Schema.decimal() });

/** Marks an open order as paid, and confirms it with a mail. A wrong amount changes nothing. */
export async function settle({ order: id, amount }: Schema.Infer<typeof schema>): Promise<void> {
  const order = await Policy.unchecked("the provider reports", () => orders.findOpt(database, { id, state: "open" }));
  if (order === undefined || Decimal.compare(order.total, amount) !== 0) {
    Log.source("app.payment").warning("A payment matches no open order", { order: id, amount });
    return;
  }
  await orders.update(database, order, { state: "paid" });
  await queue.dispatch(orderConfirm, { order: id });
}
