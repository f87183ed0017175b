import { Schema, User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { labels } from "../label/entity.ts";
import { projects } from "../project/entity.ts";

export const stateChoices = ["open", "closed"] as const;

/** Returns a message if a title is too short to be understood. */
const checkWords = (title: string): string | undefined =>
  title.includes(" ") ? undefined : "Please use more than one word";

const fields = {
  title: Schema.string({ min: 1, trim: true, validate: checkWords }),
  body: Schema.optional(Schema.text()),
  state: Schema.oneOf(stateChoices, { default: "open" }),
  assignee_id: Schema.optional(Schema.uuid()),
};

/** Input of forms and of the API. */
export const schema = Schema.record({
  ...fields,
  label_ids: Schema.list(Schema.uuid(), { max: 100 }),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the issues. */
export const issues = Table.make("issues", {
  schema: Schema.record(fields),
  columns: { project_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    project: () => Table.belongsTo(projects, { onDelete: "cascade" }),
    assignee: () => Table.belongsTo(User.table, { onDelete: "set null" }),
    labels: () =>
      Table.manyToMany(labels, {
        through: "issue_labels",
      }),
  },
  search: {
    filter: ["title", "body"],
    filterBy: ["state", "assignee_id", "labels"],
    sortBy: ["created_at", "title"],
  },
});

/** Relations that are loaded with an issue. */
export const relations = ["assignee", "labels"] as const;

export type StoredRow = Table.Infer<typeof issues, typeof relations>;

/** A stored issue. */
export interface Issue extends StoredRow {
  readonly label_ids: readonly string[];
}

/** Returns the text that titles and links show for an issue. */
export function labelOf(issue: Pick<Issue, "title">): string {
  return issue.title;
}
