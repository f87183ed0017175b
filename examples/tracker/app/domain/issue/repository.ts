import { Schema, User } from "limmat";
import { type OperationOptions, Row } from "limmat/database";
import { Table } from "limmat/table";
import { labels } from "../label/repository.ts";
import { projects } from "../project/repository.ts";
import { fields } from "./entity.ts";

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

/** Counts labels of a project. */
export const countLabels = (
  database: Table.Database,
  where: { readonly id: string | readonly string[]; readonly project_id: string },
  options?: OperationOptions,
): Promise<number> => labels.count(database, where, options);
