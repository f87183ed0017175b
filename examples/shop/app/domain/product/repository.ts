import { Table } from "limmat/table";
import { Row } from "limmat/database";
import { schema } from "./entity.ts";

/** Table of the products. */
export const products = Table.make("products", {
  schema,
  columns: { picture: Row.optional(Row.uuid) },
  timestamps: true,
  version: true,
  unique: [["name"]],
  search: {
    filter: ["name", "description"],
    filterBy: ["category"],
    sortBy: ["created_at", "name", "price", "stock"],
  },
});
