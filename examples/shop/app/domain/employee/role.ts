import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { roleChoices } from "./entity.ts";
import { employees } from "./repository.ts";

export type Role = (typeof roleChoices)[number];

/** Returns the role of a user, or `undefined` if the user is no employee. */
export const roleOfUser = async (user_id: string, options?: OperationOptions): Promise<Role | undefined> =>
  (await employees.findOpt(database, { user_id }, options))?.role;

/** Gives a user a role, or takes it away. */
export async function appoint(user_id: string, role: Role | undefined): Promise<void> {
  const former = role === undefined ? await employees.findOpt(database, { user_id }) : undefined;
  if (role !== undefined) await employees.upsert(database, { user_id, role }, { on: ["user_id"] });
  if (former !== undefined) await employees.delete(database, former);
}
