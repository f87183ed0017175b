import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { products } from "./repository.ts";

export const categoryChoices = ["kitchen", "garden", "office"] as const;

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
  description: Schema.optional(Schema.text()),
  price: Schema.decimal({ min: 0 }),
  stock: Schema.int({ min: 0 }),
  category: Schema.oneOf(categoryChoices),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored product. */
export type Product = Table.Infer<typeof products>;

/** Returns the text that titles and links show for a product. */
export function labelOf(product: Pick<Product, "name">): string {
  return product.name;
}
