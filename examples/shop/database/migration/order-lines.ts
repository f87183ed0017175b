import { Migration } from "limmat";

export const orderLines = Migration.make(
  "order_lines",
  [
    Migration.step(
      "create table order_lines",
      ({ uuid, string, decimal, int, timestamp }) => [
        `create table order_lines (
          id ${uuid} not null,
          product_id ${uuid} not null,
          name ${string(255)} not null,
          price ${decimal(12, 2)} not null,
          count ${int} not null,
          order_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (order_id) references orders (id) on delete cascade,
          foreign key (product_id) references products (id)
        )`,
        "create index order_lines_created_at_id on order_lines (created_at, id)",
        "create index order_lines_name_id on order_lines (name, id)",
        "create index order_lines_price_id on order_lines (price, id)",
        "create index order_lines_count_id on order_lines (count, id)",
        "create index order_lines_order_id on order_lines (order_id)",
        "create index order_lines_product_id on order_lines (product_id)",
      ],
      { down: "drop table order_lines" },
    ),
  ],
  { after: ["orders", "products", "user"] },
);
