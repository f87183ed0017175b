import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { projects } from "./repository.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
  description: Schema.optional(Schema.text()),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored project. */
export type Project = Table.Infer<typeof projects>;

/** Returns the text that titles and links show for a project. */
export function labelOf(project: Pick<Project, "name">): string {
  return project.name;
}
