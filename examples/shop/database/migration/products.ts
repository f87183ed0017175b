import { Migration } from "limmat";

export const products = Migration.make("products", [
  Migration.step(
    "create table products",
    ({ uuid, string, text, decimal, int, timestamp }) => [
      `create table products (
        id ${uuid} not null,
        name ${string(255)} not null,
        description ${text},
        price ${decimal(12, 2)} not null,
        stock ${int} not null,
        category ${string(255)} not null check (category in ('kitchen', 'garden', 'office')),
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null,
        version ${int} not null,
        primary key (id),
        unique (name)
      )`,
      "create index products_created_at_id on products (created_at, id)",
      "create index products_name_id on products (name, id)",
      "create index products_price_id on products (price, id)",
      "create index products_stock_id on products (stock, id)",
    ],
    { down: "drop table products" },
  ),
]);
