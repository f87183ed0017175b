// Permissions for labels. The service asks these functions before each operation.
import type { User } from "limmat";
import { database } from "../../../service/service.ts";
import * as Project from "../project/policy.ts";
import { labels } from "./entity.ts";

export type Role = Project.Role;

/** Returns the role of a user for a label, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string): Promise<Role | undefined> {
  const item = await labels.findOpt(database, id);
  return item && Project.roleOf(item.project_id, user_id);
}

/** Returns true if a user may change and delete a label. */
export async function mayChange(id: string, user_id: string): Promise<boolean> {
  return (await roleOf(id, user_id)) !== undefined;
}

/** Returns true if a user sees the labels of a project, and may add one. */
export async function maySeeList(parent_id: string, user_id: string): Promise<boolean> {
  return (await Project.roleOf(parent_id, user_id)) !== undefined;
}

/** Returns the users who see a label. */
export async function usersOf(id: string): Promise<readonly User.User[]> {
  const item = await labels.findOpt(database, id);
  return item === undefined ? [] : Project.usersOf(item.project_id);
}
