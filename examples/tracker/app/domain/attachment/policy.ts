// Who may do what with attachments.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { database } from "../../../service/service.ts";
import * as Issue from "../issue/policy.ts";
import { attachments } from "./repository.ts";

export const policy = Policy.make(attachments, (is) => ({
  see: is.related.issue(Issue.policy.rules.see),
  change: is.related.issue(Issue.policy.rules.see),
  administer: is.related.issue(Issue.policy.rules.administer),
}));

/** Returns the users who see an attachment. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await attachments.findOpt(database, id, options);
  if (item === undefined) return [];
  return Issue.usersOf(item.issue_id, options);
}
