import { sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import { type Membership, memberships } from "./entity.ts";

export type Role = Membership["role"];

/** Returns the team of each kind of thing, as a query. */
const teamOf = {
  team: (id: string) => sql`select id from teams where id = ${id}`,
  membership: (id: string) => sql`select team_id from memberships where id = ${id}`,
  project: (id: string) => sql`select team_id from projects where id = ${id}`,
  issue: (id: string) => sql`select p.team_id from issues i join projects p on p.id = i.project_id where i.id = ${id}`,
  comment: (id: string) => sql`select p.team_id from comments c join issues i on i.id = c.issue_id
    join projects p on p.id = i.project_id where c.id = ${id}`,
  attachment: (id: string) => sql`select p.team_id from attachments a join issues i on i.id = a.issue_id
    join projects p on p.id = i.project_id where a.id = ${id}`,
  activity: (id: string) =>
    sql`select p.team_id from activities a join projects p on p.id = a.project_id where a.id = ${id}`,
};

export type Subject = keyof typeof teamOf;

/** Returns the role of a user in the team that something belongs to; `undefined` for people of other teams. */
export async function roleOf(user_id: string, subject: Subject, id: string): Promise<Role | undefined> {
  const where = sql`member_id = ${user_id} and team_id in (${teamOf[subject](id)})`;
  const [membership] = await memberships.collect(database, { where });
  return membership?.role;
}
