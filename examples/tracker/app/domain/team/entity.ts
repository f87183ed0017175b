import { Schema, User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the teams. */
export const teams = Table.make("teams", {
  schema,
  timestamps: true,
  version: true,
  search: {
    filter: ["name"],
    sortBy: ["created_at", "name"],
  },
});

/** Roles of the members of teams. Admins may change them, members see them. */
export const roles = ["member", "admin"] as const;

export type Role = (typeof roles)[number];

/**
 * Table of the members of teams.
 * A pending membership has an address instead of a user, until the owner of the address accepts it.
 */
export const teamMembers = Table.make("team_members", {
  schema: Schema.record({ role: Schema.oneOf(roles), email: Schema.optional(Schema.string()) }),
  columns: { team_id: Row.uuid, user_id: Row.optional(Row.uuid) },
  timestamps: true,
  relations: {
    team: () => Table.belongsTo(teams, { onDelete: "cascade" }),
    user: () => Table.belongsTo(User.table, { onDelete: "cascade" }),
  },
  unique: [
    ["team_id", "user_id"],
    ["email", "team_id"],
  ],
  search: { filterBy: ["role"], sortBy: ["created_at"] },
});

/** A stored team. */
export type Team = Table.Infer<typeof teams>;

/** Returns the text that titles and links show for a team. */
export function labelOf(team: Pick<Team, "name">): string {
  return team.name;
}
