import { error, ok, type Result } from "limmat";
import { type OperationOptions, sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Product } from "./entity.ts";
import { products } from "./repository.ts";

/** Returns products by id, in an order in which concurrent orders lock their rows without a deadlock. */
export const collect = (ids: readonly string[]): Promise<readonly Product[]> =>
  products.collect(database, { where: { id: ids }, orderBy: { id: "asc" } });

/** Takes pieces of a product, or returns a message for the customer if there are fewer. */
export async function take({ id, name }: Product, count: number, options: OperationOptions): Promise<Result<void>> {
  const change = sql`stock = stock - ${count}, version = version + 1 where id = ${id} and stock >= ${count}`;
  if ((await database.exec(sql`update products set ${change}`, options)) === 1) return ok(undefined);
  const { stock } = await products.find(database, id, options);
  return error(stock === 0 ? `${name} is sold out` : `Only ${stock} of ${name} are left`);
}
