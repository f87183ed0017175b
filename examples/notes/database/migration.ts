import { Migration } from "limmat";

const notes = Migration.make("notes", [
  Migration.step(
    "create table notes",
    ({ uuid, text, string, timestamp }) => `
      create table notes (
        id ${uuid} primary key,
        user_id ${uuid} not null,
        title ${string(200)} not null,
        body ${text} not null,
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null,
        foreign key (user_id) references user_users (id) on delete cascade
      );
      create index notes_user_id on notes (user_id, created_at, id)`,
    { down: "drop table notes" },
  ),
]);

export const migrations = [notes];
