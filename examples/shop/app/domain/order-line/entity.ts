import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { orderLines, relations } from "./repository.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  product_id: Schema.uuid(),
  name: Schema.string({ min: 1, trim: true }),
  price: Schema.decimal(),
  count: Schema.int(),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored order line. */
export type OrderLine = Table.Infer<typeof orderLines, typeof relations>;

/** Returns the text that titles and links show for an order line. */
export function labelOf(orderLine: Pick<OrderLine, "name">): string {
  return orderLine.name;
}
