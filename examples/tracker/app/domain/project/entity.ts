import { Schema } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { teams } from "../team/entity.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
  description: Schema.optional(Schema.text()),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the projects. */
export const projects = Table.make("projects", {
  schema,
  columns: { team_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    team: () => Table.belongsTo(teams, { onDelete: "cascade" }),
  },
  search: {
    filter: ["name", "description"],
    sortBy: ["created_at", "name"],
  },
});

/** A stored project. */
export type Project = Table.Infer<typeof projects>;

/** Returns the text that titles and links show for a project. */
export function labelOf(project: Pick<Project, "name">): string {
  return project.name;
}
