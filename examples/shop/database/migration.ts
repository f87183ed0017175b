import type { Migration } from "limmat";
import { products } from "./migration/products.ts";
import { orders } from "./migration/orders.ts";
import { orderLines } from "./migration/order-lines.ts";
import { employees } from "./migration/employees.ts";
import { addPictureToProducts } from "./migration/add-picture-to-products.ts";

/** All migrations, in the order of execution. */
export const migrations: readonly Migration.Migration[] = [
  products,
  orders,
  orderLines,
  employees,
  addPictureToProducts,
];
