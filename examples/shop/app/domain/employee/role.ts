import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Employee } from "./entity.ts";
import { employees } from "./repository.ts";

export type Role = Employee["role"];

/** Returns the role of a user in the shop; `undefined` for a customer. */
export const roleOfUser = async (user_id: string, options?: OperationOptions): Promise<Role | undefined> =>
  (await employees.findOpt(database, { user_id }, options))?.role;

/** Gives a user a role in the shop. */
export const appoint = (user_id: string, role: Role): Promise<unknown> =>
  employees.upsert(database, { user_id, role }, { on: ["user_id"] });
