import { Migration } from "limmat";

export const memberships = Migration.make(
  "memberships",
  [
    Migration.step(
      "create table memberships",
      ({ uuid, string, timestamp, int }) => [
        `create table memberships (
          id ${uuid} not null,
          member_id ${uuid} not null,
          role ${string(255)} not null check (role in ('owner', 'member', 'guest')),
          team_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          unique (member_id, team_id),
          foreign key (team_id) references teams (id) on delete cascade,
          foreign key (member_id) references user_users (id) on delete cascade
        )`,
        "create index memberships_created_at_id on memberships (created_at, id)",
        "create index memberships_team_id on memberships (team_id)",
      ],
      { down: "drop table memberships" },
    ),
  ],
  { after: ["teams", "user"] },
);
