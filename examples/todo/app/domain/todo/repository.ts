import { Table } from "limmat/table";
import { schema } from "./entity.ts";

/** Table of the to-dos. */
export const todos = Table.make("todos", {
  schema,
  timestamps: true,
  search: { filter: ["title", "notes"], sortBy: ["created_at"] },
});
