import { Migration } from "limmat";

export const activities = Migration.make(
  "activities",
  [
    Migration.step(
      "create table activities",
      ({ uuid, string, timestamp, int }) => [
        `create table activities (
          id ${uuid} not null,
          event ${string(255)} not null check (event in ('opened', 'changed', 'closed', 'deleted', 'commented', 'attached')),
          subject ${string(255)} not null,
          actor_id ${uuid},
          project_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (project_id) references projects (id) on delete cascade,
          foreign key (actor_id) references user_users (id) on delete set null
        )`,
        "create index activities_created_at_id on activities (created_at, id)",
        "create index activities_subject_id on activities (subject, id)",
        "create index activities_project_id on activities (project_id)",
        "create index activities_actor_id on activities (actor_id)",
      ],
      { down: "drop table activities" },
    ),
  ],
  { after: ["projects", "user"] },
);
