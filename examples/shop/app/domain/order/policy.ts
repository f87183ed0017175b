// Permissions for orders. The service asks these functions before each operation.
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import { roleOfUser } from "../employee/role.ts";
import { orders } from "./repository.ts";

/** An employee is an admin of all orders, a customer a member of their own. */
export type Role = "admin" | "member";

/** Returns the role of a user for an order, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  if ((await roleOfUser(user_id, options)) !== undefined) return "admin";
  const isOwner = await orders.exists(database, { id, owner_id: user_id }, options);
  return isOwner ? "member" : undefined;
}

/** Returns true if a user may change and delete an order. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(id, user_id, options)) === "admin";
}
