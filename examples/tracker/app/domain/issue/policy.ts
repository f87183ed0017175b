// Who may do what with issues.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { database } from "../../../service/service.ts";
import * as Project from "../project/policy.ts";
import { issues } from "./repository.ts";

export const policy = Policy.make(issues, (is) => ({
  see: is.related.project(Project.policy.rules.see),
  change: is.related.project(Project.policy.rules.see),
  administer: is.related.project(Project.policy.rules.administer),
}));

/** Returns the users who see an issue. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await issues.findOpt(database, id, options);
  if (item === undefined) return [];
  return Project.usersOf(item.project_id, options);
}
