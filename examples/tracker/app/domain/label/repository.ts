import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { projects } from "../project/repository.ts";
import { schema } from "./entity.ts";

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
