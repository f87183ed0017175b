// Who may do what with projects.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { database } from "../../../service/service.ts";
import * as Team from "../team/policy.ts";
import { projects } from "./repository.ts";

export const policy = Policy.make(projects, (is) => ({
  see: is.related.team(Team.policy.rules.see),
  change: is.related.team(Team.policy.rules.see),
  administer: is.related.team(Team.policy.rules.administer),
}));

/** Returns the users who see a project. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await projects.findOpt(database, id, options);
  if (item === undefined) return [];
  return Team.usersOf(item.team_id, options);
}
