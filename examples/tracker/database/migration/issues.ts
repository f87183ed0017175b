import { Migration } from "limmat";

export const issues = Migration.make(
  "issues",
  [
    Migration.step(
      "create table issues",
      ({ uuid, string, text, timestamp, int }) => [
        `create table issues (
          id ${uuid} not null,
          title ${string(255)} not null,
          body ${text},
          state ${string(255)} not null check (state in ('open', 'closed')),
          assignee_id ${uuid},
          project_id ${uuid} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          version ${int} not null,
          primary key (id),
          foreign key (project_id) references projects (id) on delete cascade,
          foreign key (assignee_id) references user_users (id) on delete set null
        )`,
        "create index issues_created_at_id on issues (created_at, id)",
        "create index issues_title_id on issues (title, id)",
        "create index issues_project_id on issues (project_id)",
        "create index issues_assignee_id on issues (assignee_id)",
        `create table issue_labels (
          issue_id ${uuid} not null,
          label_id ${uuid} not null,
          primary key (issue_id, label_id),
          foreign key (issue_id) references issues (id) on delete cascade,
          foreign key (label_id) references labels (id) on delete cascade
        )`,
        "create index issue_labels_label_id on issue_labels (label_id)",
      ],
      { down: ["drop table issue_labels", "drop table issues"] },
    ),
  ],
  { after: ["labels", "projects", "user"] },
);
