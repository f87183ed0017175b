import { Migration } from "limmat";

export const teams = Migration.make(
  "teams",
  [
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
        `create table team_members (
          id ${uuid} not null,
          role ${string(255)} not null check (role in ('member', 'admin')),
          email ${string(255)},
          team_id ${uuid} not null,
          user_id ${uuid},
          expires_at ${timestamp},
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          primary key (id),
          unique (team_id, user_id),
          unique (email, team_id),
          foreign key (team_id) references teams (id) on delete cascade,
          foreign key (user_id) references user_users (id) on delete cascade
        )`,
        "create index team_members_created_at_id on team_members (created_at, id)",
        "create index team_members_user_id on team_members (user_id)",
      ],
      { down: ["drop table team_members", "drop table teams"] },
    ),
  ],
  { after: ["user"] },
);
