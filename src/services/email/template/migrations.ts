import { Migration } from "../../../database/index.ts";

/** The table of templates. */
export const migrations: Migration.Migration = Migration.make("email", [
  Migration.step(
    "create table email_templates",
    ({ uuid, string, text, timestamp }) => `create table email_templates (
      id ${uuid} primary key,
      label ${string(128)} not null,
      language ${string(35)} not null,
      subject ${string(255)} not null,
      text ${text} not null,
      html ${text} not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      unique (label, language)
    )`,
    { down: "drop table email_templates" },
  ),
]);
