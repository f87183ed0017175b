import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { teams } from "./repository.ts";

/** Roles of the members of teams. Admins may change them, members see them. */
export const roles = ["member", "admin"] as const;

export type Role = (typeof roles)[number];

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored team. */
export type Team = Table.Infer<typeof teams>;

/** Returns the text that titles and links show for a team. */
export function labelOf(team: Pick<Team, "name">): string {
  return team.name;
}
