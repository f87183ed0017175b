// Permissions for teams. The service asks these functions before each operation.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Role, Team } from "./entity.ts";
import { teamMembers } from "./repository.ts";

export type { Role };

/** Returns the role of a user for a team, or `undefined` if the user may not even see it. */
export async function roleOf(id: string, user_id: string, options?: OperationOptions): Promise<Role | undefined> {
  const ids = { team_id: id, user_id };
  const membership = await teamMembers.findOpt(database, ids, options);
  return membership?.role;
}

/** Returns true if a user may change and delete a team. */
export async function mayChange(id: string, user_id: string, options?: OperationOptions): Promise<boolean> {
  return (await roleOf(id, user_id, options)) === "admin";
}

/** Returns the users who see a team. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const where = { team_id: id };
  const members = await teamMembers.collect(database, { ...options, where, with: ["user"] });
  return members.flatMap((member) => member.user ?? []);
}

/** Returns the ids of those teams of a list that a user may change and delete. The user sees all of them. */
export async function changeableIds(
  items: readonly Pick<Team, "id">[],
  user_id: string,
  options?: OperationOptions,
): Promise<ReadonlySet<string>> {
  const where = { team_id: items.map(({ id }) => id), user_id, role: "admin" } as const;
  const memberships = await teamMembers.collect(database, { ...options, where });
  const ids = new Set(memberships.map((membership) => membership.team_id));
  return ids;
}
