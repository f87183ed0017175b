// Permissions for comments. The service asks these functions before each operation.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import * as Issue from "../issue/policy.ts";
import type { Comment } from "./entity.ts";
import { comments } from "./repository.ts";

export type Role = Issue.Role;

/** Returns the role of a user for a comment, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  const item = await comments.findOpt(database, id, options);
  return item && Issue.roleOf(item.issue_id, user_id, options);
}

/** Returns true if a user may change and delete a comment. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  const role = await roleOf(id, user_id, options);
  if (role === undefined || role === "admin") return role === "admin";
  return comments.exists(database, { id, owner_id: user_id }, options);
}

/** Returns true if a user sees the comments of an issue, and may add one. */
export async function maySeeList(parent_id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await Issue.roleOf(parent_id, user_id, options)) !== undefined;
}

/** Returns the users who see a comment. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await comments.findOpt(database, id, options);
  if (item === undefined) return [];
  return Issue.usersOf(item.issue_id, options);
}

/** Returns the ids of those comments of a list that a user may change and delete. The user sees all of them. */
export async function changeableIds(
  items: readonly Pick<Comment, "id" | "issue_id" | "owner_id">[],
  user_id: string,
  options?: OperationOptions,
): Promise<ReadonlySet<string>> {
  const roles = new Map<string, Role | undefined>();
  for (const parentId of new Set(items.map((item) => item.issue_id))) {
    roles.set(parentId, await Issue.roleOf(parentId, user_id, options));
  }
  const ids = new Set<string>();
  for (const item of items) {
    const isAdmin = roles.get(item.issue_id) === "admin";
    if (isAdmin || item.owner_id === user_id) ids.add(item.id);
  }
  return ids;
}
