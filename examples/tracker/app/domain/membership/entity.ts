import { Schema, User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { teams } from "../team/entity.ts";
import { personName } from "./person.ts";

export const roleChoices = ["owner", "member", "guest"] as const;

/** Input of forms and of the API. */
export const schema = Schema.record({
  member_id: Schema.uuid(),
  role: Schema.oneOf(roleChoices),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the memberships. */
export const memberships = Table.make("memberships", {
  schema,
  columns: { team_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    team: () => Table.belongsTo(teams, { onDelete: "cascade" }),
    member: () => Table.belongsTo(User.table, { onDelete: "cascade" }),
  },
  unique: [["member_id", "team_id"]],
  search: {
    filterBy: ["member_id", "role"],
    sortBy: ["created_at"],
  },
});

/** Relations that are loaded with a membership. */
export const relations = ["member"] as const;

/** A stored membership. */
export type Membership = Table.Infer<typeof memberships, typeof relations>;

/** Returns the text that titles and links show for a membership. */
export function labelOf({ id, member }: Pick<Membership, "id" | "member">): string {
  return personName(member ?? { id, name: undefined });
}
