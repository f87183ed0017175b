import { Schema } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { projects } from "../project/entity.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the labels. */
export const labels = Table.make("labels", {
  schema,
  columns: { project_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    project: () => Table.belongsTo(projects, { onDelete: "cascade" }),
  },
  unique: [["name", "project_id"]],
  search: {
    filter: ["name"],
    sortBy: ["created_at", "name"],
  },
});

/** A stored label. */
export type Label = Table.Infer<typeof labels>;

/** Returns the text that titles and links show for a label. */
export function labelOf(label: Pick<Label, "name">): string {
  return label.name;
}
