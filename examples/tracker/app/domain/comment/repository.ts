import { User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { issues } from "../issue/repository.ts";
import { schema } from "./entity.ts";

/** Table of the comments. */
export const comments = Table.make("comments", {
  schema,
  columns: { issue_id: Row.uuid, owner_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    issue: () => Table.belongsTo(issues, { onDelete: "cascade" }),
    owner: () => Table.belongsTo(User.table, { onDelete: "cascade" }),
  },
  search: {
    filter: ["text"],
    sortBy: ["created_at"],
  },
});

/** Relations that are loaded with a comment. */
export const relations = ["owner"] as const;
