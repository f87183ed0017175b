import { Decimal, Log } from "limmat";
import { database, queue } from "../../../service/service.ts";
import { orderConfirm } from "../../job/order-confirm.ts";
import { orders } from "./repository.ts";

/** Marks an open order as paid, and confirms it with a mail. A wrong amount changes nothing. */
export async function settle(id: string, amount: string): Promise<void> {
  const order = await orders.findOpt(database, { id, state: "open" });
  if (order === undefined || Decimal.compare(order.total, amount) !== 0) {
    Log.source("app.payment").warning("A payment matches no open order", { order: id, amount });
    return;
  }
  await orders.update(database, order, { state: "paid" });
  await queue.dispatch(orderConfirm, { order: id });
}
