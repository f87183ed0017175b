import { Decimal } from "limmat";
import { sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import { orders } from "./repository.ts";

/** Returns an order with its customer, for mails. */
export const withOwner = (id: string) => orders.find(database, id, { with: ["owner"] });

/** Returns the number and the total of the orders of a period. */
export async function turnover(from: Date, to: Date): Promise<{ readonly orders: number; readonly total: string }> {
  const placed = await orders.collect(database, { where: sql`created_at >= ${from} and created_at < ${to}` });
  return { orders: placed.length, total: Decimal.sum(placed.map(({ total }) => total)) };
}
