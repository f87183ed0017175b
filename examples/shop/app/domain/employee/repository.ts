import { User } from "limmat";
import { Table } from "limmat/table";
import { schema } from "./entity.ts";

/** Table of the employees. */
export const employees = Table.make("employees", {
  schema,
  timestamps: true,
  version: true,
  relations: {
    user: () => Table.belongsTo(User.table),
  },
  unique: [["user_id"]],
  search: {
    filterBy: ["user_id", "role"],
    sortBy: ["created_at"],
  },
});

/** Relations that are loaded with an employee. */
export const relations = ["user"] as const;
