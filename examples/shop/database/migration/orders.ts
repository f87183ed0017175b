import { Migration } from "limmat";

export const orders = Migration.make(
  "orders",
  [
    Migration.step(
      "create table orders",
      ({ uuid, string, decimal, timestamp, int }) => [
        `create table orders (
          id ${uuid} not null,
          name ${string(255)} not null,
          street ${string(255)} not null,
          zip ${string(255)} not null,
          city ${string(255)} not null,
          state ${string(255)} not null check (state in ('open', 'paid', 'shipped')),
          total ${decimal(12, 2)} not null,
          owner_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (owner_id) references user_users (id) on delete cascade
        )`,
        "create index orders_created_at_id on orders (created_at, id)",
        "create index orders_name_id on orders (name, id)",
        "create index orders_street_id on orders (street, id)",
        "create index orders_zip_id on orders (zip, id)",
        "create index orders_city_id on orders (city, id)",
        "create index orders_owner_id on orders (owner_id)",
      ],
      { down: "drop table orders" },
    ),
  ],
  { after: ["user"] },
);
