import { Migration } from "limmat";

export const labels = Migration.make(
  "labels",
  [
    Migration.step(
      "create table labels",
      ({ uuid, string, timestamp, int }) => [
        `create table labels (
          id ${uuid} not null,
          name ${string(255)} not null,
          project_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          unique (name, project_id),
          foreign key (project_id) references projects (id) on delete cascade
        )`,
        "create index labels_created_at_id on labels (created_at, id)",
        "create index labels_name_id on labels (name, id)",
        "create index labels_project_id on labels (project_id)",
      ],
      { down: "drop table labels" },
    ),
  ],
  { after: ["projects", "user"] },
);
