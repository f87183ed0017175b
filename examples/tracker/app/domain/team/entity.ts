import { Schema } from "limmat";
import { Table } from "limmat/table";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1 }),
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

/** A stored team. */
export type Team = Table.Infer<typeof teams>;

/** Returns the text that titles and links show for a team. */
export function labelOf(team: Pick<Team, "name">): string {
  return team.name;
}
