// Who may do what with comments.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import * as Issue from "../issue/policy.ts";
import { comments } from "./repository.ts";

export const policy = Policy.make(
  comments,
  (is) => {
    const see = is.related.issue(Issue.policy.rules.see);
    const administer = is.related.issue(Issue.policy.rules.administer);
    return { see, change: is.any((user) => ({ owner_id: user.id }), administer), administer };
  },
  { reasons: { change: () => text.comment.mayNotChange } },
);

/** Returns the users who see a comment. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const item = await comments.findOpt(database, id, options);
  if (item === undefined) return [];
  return Issue.usersOf(item.issue_id, options);
}
