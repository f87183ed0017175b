// Permissions for projects. The service asks these functions before each operation.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import * as Team from "../team/policy.ts";
import { projects } from "./repository.ts";

export type Role = Team.Role;

/** Returns the role of a user for a project, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  const item = await projects.findOpt(database, id, options);
  return item && Team.roleOf(item.team_id, user_id, options);
}

/** Returns true if a user may change and delete a project. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(id, user_id, options)) !== undefined;
}

/** Returns true if a user sees the projects of a team, and may add one. */
export async function maySeeList(parent_id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await Team.roleOf(parent_id, user_id, options)) !== undefined;
}

/** Returns the users who see a project. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await projects.findOpt(database, id, options);
  if (item === undefined) return [];
  return Team.usersOf(item.team_id, options);
}
