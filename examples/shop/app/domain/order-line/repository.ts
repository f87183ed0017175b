import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { orders } from "../order/repository.ts";
import { products } from "../product/repository.ts";
import { schema } from "./entity.ts";

/** Table of the order lines. */
export const orderLines = Table.make("order_lines", {
  schema,
  columns: { order_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    order: () => Table.belongsTo(orders, { onDelete: "cascade" }),
    product: () => Table.belongsTo(products),
  },
  search: {
    filter: ["name"],
    filterBy: ["product_id"],
    sortBy: ["created_at", "name", "price", "count"],
  },
});

/** Relations that are loaded with an order line. */
export const relations = ["product"] as const;
