import { Migration } from "limmat";

export const projects = Migration.make(
  "projects",
  [
    Migration.step(
      "create table projects",
      ({ uuid, string, text, timestamp, int }) => [
        `create table projects (
          id ${uuid} not null,
          name ${string(255)} not null,
          description ${text},
          team_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (team_id) references teams (id) on delete cascade
        )`,
        "create index projects_created_at_id on projects (created_at, id)",
        "create index projects_name_id on projects (name, id)",
        "create index projects_team_id on projects (team_id)",
      ],
      { down: "drop table projects" },
    ),
  ],
  { after: ["teams", "user"] },
);
