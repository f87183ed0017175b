import { Migration } from "limmat";

const todos = Migration.make("todos", [
  Migration.step(
    "create table todos",
    ({ uuid, text, string, bool, timestamp }) => `
      create table todos (
        id ${uuid} primary key,
        title ${string(200)} not null,
        notes ${text} not null,
        done ${bool} not null,
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null
      );
      create index todos_created_at on todos (created_at, id)`,
    { down: "drop table todos" },
  ),
]);

export const migrations = [todos];
