import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { orders } from "./repository.ts";

export const stateChoices = ["open", "paid", "shipped"] as const;

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
  street: Schema.string({ min: 1, trim: true }),
  zip: Schema.string({ min: 1, trim: true }),
  city: Schema.string({ min: 1, trim: true }),
  state: Schema.oneOf(stateChoices),
  total: Schema.decimal(),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored order. */
export type Order = Table.Infer<typeof orders>;

/** Returns the text that titles and links show for an order. */
export function labelOf(order: Pick<Order, "id">): string {
  return `Order ${order.id.slice(0, 8)}`;
}
