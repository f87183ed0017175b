// Who may do what with teams and their members.
import type { User } from "limmat";
import type { OperationOptions } from "limmat/database";
import { Policy } from "limmat/policy";
import { text } from "../../../language/language.ts";
import { database } from "../../../service/service.ts";
import { teamMembers, teams } from "./repository.ts";

export const policy = Policy.make(
  teams,
  (is) => {
    const administer = is.related.members((user) => ({ user_id: user.id, role: "admin" }));
    return { see: is.related.members((user) => ({ user_id: user.id })), change: administer, administer };
  },
  { reasons: { change: () => text.team.mayNotChange, administer: () => text.member.onlyAdminsAdd } },
);

/** Members see those who have joined, and leave. Admins also see pending memberships, which have no user. */
export const memberPolicy = Policy.make(
  teamMembers,
  (is) => {
    const administer = is.related.team(policy.rules.administer);
    const joined = is.not(is.anyone({ user_id: null }));
    return {
      see: is.any(is.all(joined, is.related.team(policy.rules.see)), administer),
      change: administer,
      delete: is.any((user) => ({ user_id: user.id }), administer),
    };
  },
  { reasons: { change: () => text.member.onlyAdminsChange, delete: () => text.member.onlyAdminsRemove } },
);

/** Returns the users who see a team. */
export async function usersOf(id: string, options?: OperationOptions): Promise<readonly User.User[]> {
  const read = { ...options, where: { team_id: id }, with: ["user"] } as const;
  const members = await Policy.unchecked("the people of a team", () => teamMembers.collect(database, read));
  return members.flatMap((member) => member.user ?? []);
}
