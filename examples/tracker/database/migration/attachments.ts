import { Migration } from "limmat";

export const attachments = Migration.make(
  "attachments",
  [
    Migration.step(
      "create table attachments",
      ({ uuid, string, int, timestamp }) => [
        `create table attachments (
          id ${uuid} not null,
          name ${string(255)} not null,
          size ${int} not null,
          file ${uuid} not null,
          issue_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (issue_id) references issues (id) on delete cascade
        )`,
        "create index attachments_created_at_id on attachments (created_at, id)",
        "create index attachments_name_id on attachments (name, id)",
        "create index attachments_size_id on attachments (size, id)",
        "create index attachments_issue_id on attachments (issue_id)",
      ],
      { down: "drop table attachments" },
    ),
  ],
  { after: ["issues", "user"] },
);
