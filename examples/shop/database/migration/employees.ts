import { Migration } from "limmat";

export const employees = Migration.make(
  "employees",
  [
    Migration.step(
      "create table employees",
      ({ uuid, string, timestamp, int }) => [
        `create table employees (
          id ${uuid} not null,
          user_id ${uuid} not null,
          role ${string(255)} not null check (role in ('packer', 'manager')),
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          unique (user_id),
          foreign key (user_id) references user_users (id)
        )`,
        "create index employees_created_at_id on employees (created_at, id)",
      ],
      { down: "drop table employees" },
    ),
  ],
  { after: ["user"] },
);
