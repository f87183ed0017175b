import { Migration } from "limmat";

export const teams = Migration.make("teams", [
  Migration.step(
    "create table teams",
    ({ uuid, string, timestamp, int }) => [
      `create table teams (
        id ${uuid} not null,
        name ${string(255)} not null,
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null,
        version ${int} not null,
        primary key (id)
      )`,
      "create index teams_created_at_id on teams (created_at, id)",
      "create index teams_name_id on teams (name, id)",
    ],
    { down: "drop table teams" },
  ),
]);
