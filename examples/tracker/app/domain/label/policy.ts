// Permissions for labels. The service asks these functions before each operation.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import * as Project from "../project/policy.ts";
import { labels } from "./repository.ts";

export type Role = Project.Role;

/** Returns the role of a user for a label, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  const item = await labels.findOpt(database, id, options);
  return item && Project.roleOf(item.project_id, user_id, options);
}

/** Returns true if a user may change and delete a label. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(id, user_id, options)) !== undefined;
}

/** Returns true if a user sees the labels of a project, and may add one. */
export async function maySeeList(parent_id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await Project.roleOf(parent_id, user_id, options)) !== undefined;
}

/** Returns the users who see a label. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await labels.findOpt(database, id, options);
  if (item === undefined) return [];
  return Project.usersOf(item.project_id, options);
}
