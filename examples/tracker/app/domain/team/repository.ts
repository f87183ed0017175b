import { Schema, Time, User } from "limmat";
import { Row, sql, type Statement } from "limmat/database";
import { Table } from "limmat/table";
import { roles, schema } from "./entity.ts";

/** Table of the teams. */
export const teams = Table.make("teams", {
  schema,
  timestamps: true,
  version: true,
  relations: {
    members: () => Table.hasMany(teamMembers),
  },
  search: {
    filter: ["name"],
    sortBy: ["created_at", "name"],
  },
});

/**
 * Table of the members of teams.
 * A pending membership has an address instead of a user, until the owner of the address accepts it or it expires.
 */
export const teamMembers = Table.make("team_members", {
  schema: Schema.record({ role: Schema.oneOf(roles), email: Schema.optional(Schema.string()) }),
  columns: {
    team_id: Row.uuid,
    user_id: Row.optional(Row.uuid),
    expires_at: Row.optional(Row.timestamp),
  },
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

/** Condition of pending memberships that have not expired. */
export const isOpen = (): Statement<unknown> => sql`expires_at > ${Time.now()}`;

/** Returns the statement by which a user accepts a pending membership of an address. */
export const accept = (id: string, email: string, user_id: string): Statement<unknown> => sql`
  update team_members set user_id = ${user_id}, email = null, expires_at = null, updated_at = ${Time.now()}
  where ${teamMembers.where({ id, email })} and ${isOpen()}`;

/** Returns the statement that deletes a pending membership of an address. */
export const decline = (id: string, email: string): Statement<unknown> => sql`
  delete from team_members where ${teamMembers.where({ id, email })}`;

const lock = sql.dialect({ sqlite: sql``, postgresql: sql` for update`, mariadb: sql` for update` });

/** Returns the statement that locks the admins until the transaction ends. */
export const lockAdmins = (team_id: string): Statement<unknown> => sql`
  select id from team_members where ${teamMembers.where({ team_id, role: "admin" })}${lock}`;
