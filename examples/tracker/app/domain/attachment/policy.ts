// Permissions for attachments. The service asks these functions before each operation.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import * as Issue from "../issue/policy.ts";
import { attachments } from "./repository.ts";

export type Role = Issue.Role;

/** Returns the role of a user for an attachment, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  const item = await attachments.findOpt(database, id, options);
  return item && Issue.roleOf(item.issue_id, user_id, options);
}

/** Returns true if a user may change and delete an attachment. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(id, user_id, options)) !== undefined;
}

/** Returns true if a user sees the attachments of an issue, and may add one. */
export async function maySeeList(parent_id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await Issue.roleOf(parent_id, user_id, options)) !== undefined;
}

/** Returns the users who see an attachment. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await attachments.findOpt(database, id, options);
  if (item === undefined) return [];
  return Issue.usersOf(item.issue_id, options);
}
