import { Migration } from "limmat";

export const greetings = Migration.make("greetings", [
  Migration.step(
    "create table greetings",
    ({ uuid, string, timestamp }) => `
      create table greetings (
        id ${uuid} not null primary key,
        text ${string(80)} not null,
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null
      )`,
    { down: "drop table greetings" },
  ),
]);
