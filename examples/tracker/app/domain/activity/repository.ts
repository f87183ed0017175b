import { User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { projects } from "../project/repository.ts";
import { schema } from "./entity.ts";

/** Table of the activities. */
export const activities = Table.make("activities", {
  id: "uuid7",
  schema,
  columns: { project_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    project: () => Table.belongsTo(projects, { onDelete: "cascade" }),
    actor: () => Table.belongsTo(User.table, { onDelete: "set null" }),
  },
  search: {
    filter: ["subject"],
    filterBy: ["event", "actor_id"],
    sortBy: ["created_at", "subject"],
  },
  singular: "activity",
});

/** Relations that are loaded with an activity. */
export const relations = ["actor"] as const;
