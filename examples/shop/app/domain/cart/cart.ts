import { Decimal, Schema } from "limmat";
import type { Product } from "../product/product.ts";
import { collect } from "../product/stock.ts";

/** Form that sets the number of pieces of a product; 0 removes it. */
export const line = Schema.record({ product: Schema.uuid(), count: Schema.int({ min: 0, max: 99 }) });

/** The cart as the session stores it. */
export const schema = Schema.record({ lines: Schema.list(line, { max: 20 }) });

export type Cart = Schema.Infer<typeof schema>;

/** A product, at the price of today, with its number of pieces. */
export type Item = Product & { readonly count: number; readonly amount: string };

/** Sets the number of pieces of a product. */
export const put = ({ lines }: Cart, changed: Cart["lines"][number]): Cart => ({
  lines: [...lines.filter(({ product }) => product !== changed.product), changed].filter(({ count }) => count > 0),
});

/** Returns the items of those products that still exist. */
export async function itemsOf({ lines }: Cart): Promise<readonly Item[]> {
  const counts = new Map(lines.map(({ product, count }) => [product, count]));
  const items = (await collect([...counts.keys()])).map((product) => ({
    ...product,
    count: counts.get(product.id) ?? 0,
  }));
  return items.map((item) => ({ ...item, amount: Decimal.multiply(item.price, item.count) }));
}

export const totalOf = (items: readonly Item[]): string => Decimal.sum(items.map(({ amount }) => amount));
