import { Migration } from "../../migration/index.ts";

/** Migration of the table `tokens`. */
export const tokenMigrations: Migration.Migration = Migration.make("token", [
  Migration.step(
    "create table tokens",
    ({ uuid, string, json, timestamp }) => `create table tokens (
      id ${uuid} primary key,
      hash ${string(43)} not null,
      purpose ${string(100)} not null,
      owner ${string(255)},
      name ${string(255)},
      abilities ${json} not null,
      data ${json} not null,
      status ${string(10)} not null,
      created_at ${timestamp} not null,
      expires_at ${timestamp} not null,
      last_used_at ${timestamp},
      constraint tokens_hash unique (hash)
    )`,
    { down: "drop table tokens" },
  ),
  Migration.step("index owners of tokens", "create index tokens_owner on tokens (owner, purpose)", {
    down: dropIndex("tokens_owner", "tokens"),
  }),
  Migration.step("index expiry of tokens", "create index tokens_expires_at on tokens (expires_at)", {
    down: dropIndex("tokens_expires_at", "tokens"),
  }),
  Migration.step(
    "add column owner_key to tokens",
    ({ string }) => [
      `alter table tokens add column owner_key ${string(43)}`,
      "create unique index tokens_owner_key on tokens (owner_key)",
    ],
    {
      down: {
        sqlite: ["drop index tokens_owner_key", "alter table tokens drop column owner_key"],
        postgresql: "alter table tokens drop column owner_key",
        mariadb: "alter table tokens drop column owner_key",
      },
    },
  ),
]);

/** Migration of the table `token_revocations`, for tokens without a record. */
export const jwtMigrations: Migration.Migration = Migration.make("token-jwt", [
  Migration.step(
    "create table token_revocations",
    ({ string, int, timestamp }) => `create table token_revocations (
      hash ${string(43)} primary key,
      status ${string(10)} not null,
      generation ${int} not null,
      expires_at ${timestamp} not null
    )`,
    { down: "drop table token_revocations" },
  ),
  Migration.step(
    "index expiry of revocations",
    "create index token_revocations_expires_at on token_revocations (expires_at)",
    { down: dropIndex("token_revocations_expires_at", "token_revocations") },
  ),
]);

function dropIndex(index: string, table: string): Migration.StepSql {
  const statement = `drop index ${index}`;
  return { sqlite: statement, postgresql: statement, mariadb: `${statement} on ${table}` };
}
