// Permissions for order lines. The service asks these functions before each operation.
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import * as Order from "../order/policy.ts";
import { orderLines } from "./repository.ts";

export type Role = Order.Role;

/** Returns the role of a user for an order line, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  const item = await orderLines.findOpt(database, id, options);
  return item && Order.roleOf(item.order_id, user_id, options);
}

/** Returns true if a user may change and delete an order line. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(id, user_id, options)) === "admin";
}

/** Returns true if a user sees the order lines of an order, and may add one. */
export async function maySeeList(parent_id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await Order.roleOf(parent_id, user_id, options)) !== undefined;
}
