import { Migration } from "limmat";

export const labels = Migration.make("labels", [
  Migration.step(
    "create table labels",
    ({ uuid, string, timestamp, int }) => [
      `create table labels (
        id ${uuid} not null,
        name ${string(255)} not null,
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null,
        version ${int} not null,
        primary key (id),
        unique (name)
      )`,
      "create index labels_created_at_id on labels (created_at, id)",
      "create index labels_name_id on labels (name, id)",
    ],
    { down: "drop table labels" },
  ),
]);
