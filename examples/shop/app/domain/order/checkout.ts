import { error, type Result, Schema } from "limmat";
import { database } from "../../../service/service.ts";
import { type Item, totalOf } from "../cart/cart.ts";
import * as OrderLine from "../order-line/order-line.ts";
import { take } from "../product/stock.ts";
import { insert, type Options, type Order } from "./order.ts";

const text = (max: number) => Schema.string({ min: 1, max, trim: true });

/** First step of the checkout. Short enough for the cookie of a session. */
export const address = Schema.record({ name: text(60), street: text(60), zip: text(12), city: text(60) });

export type Address = Schema.Infer<typeof address>;

/** Takes the pieces from the stock and stores the order with its lines, or returns a message for the customer. */
export const place = (
  items: readonly Item[],
  delivery: Address,
  total: string,
  options: Options,
): Promise<Result<Order>> =>
  database.transaction(async () => {
    if (totalOf(items) !== total) return error("The cart or a price has changed");
    for (const item of items) {
      const taken = await take(item, item.count, options);
      if (!taken.ok) return taken;
    }
    const order = await insert({ ...delivery, state: "open", total }, options);
    if (!order.ok) return error("The order could not be stored");
    const lineOptions = { ctx: [], ...options, params: { order: order.value.id } };
    for (const { id: product_id, name, price, count } of items) {
      const line = await OrderLine.insert({ product_id, name, price, count }, lineOptions);
      if (!line.ok) return error(`${name} is no longer sold`);
    }
    return order;
  }, options);
