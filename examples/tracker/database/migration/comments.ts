import { Migration } from "limmat";

export const comments = Migration.make(
  "comments",
  [
    Migration.step(
      "create table comments",
      ({ uuid, text, timestamp, int }) => [
        `create table comments (
          id ${uuid} not null,
          text ${text} not null,
          issue_id ${uuid} not null,
          owner_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (issue_id) references issues (id) on delete cascade,
          foreign key (owner_id) references user_users (id) on delete cascade
        )`,
        "create index comments_created_at_id on comments (created_at, id)",
        "create index comments_issue_id on comments (issue_id)",
        "create index comments_owner_id on comments (owner_id)",
      ],
      { down: "drop table comments" },
    ),
  ],
  { after: ["issues", "user"] },
);
