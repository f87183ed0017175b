import { User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { schema } from "./entity.ts";

/** Table of the orders. */
export const orders = Table.make("orders", {
  schema,
  columns: { owner_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    owner: () => Table.belongsTo(User.table, { onDelete: "cascade" }),
  },
  search: {
    filter: ["name", "street", "zip", "city"],
    filterBy: ["state"],
    sortBy: ["created_at", "name", "street", "zip", "city"],
  },
});
