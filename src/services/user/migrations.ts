import type { ColumnTypes } from "../../database/index.ts";
import { Migration } from "../../migration/index.ts";

// Failures per account, before they were counted per scope.
const createFailures = ({ string, int, timestamp }: ColumnTypes): readonly string[] => [
  `create table user_failures (
    account ${string(43)} primary key,
    failures ${int} not null,
    failed_at ${timestamp} not null
  )`,
  "create index user_failures_failed_at on user_failures (failed_at)",
];

/** Migrations of the tables of users, sessions, and failed logins. */
export const migrations: readonly Migration.Migration[] = [
  Migration.make("user", [
    Migration.step(
      "create table user_users",
      ({ uuid, string, bool, timestamp }) => [
        `create table user_users (
          id ${uuid} primary key,
          email ${string(254)} not null,
          email_key ${string(254)} not null unique,
          password ${string(255)},
          username ${string(255)},
          name ${string(255)},
          given_name ${string(255)},
          status ${string(16)} not null,
          admin ${bool} not null,
          confirmed ${bool} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null
        )`,
        "create index user_users_created_at on user_users (created_at, id)",
      ],
      { down: "drop table user_users" },
    ),
    Migration.step(
      "create table user_sessions",
      ({ uuid, timestamp }) => [
        `create table user_sessions (
          id ${uuid} primary key,
          user_id ${uuid} not null,
          created_at ${timestamp} not null,
          foreign key (user_id) references user_users (id) on delete cascade
        )`,
        "create index user_sessions_user_id on user_sessions (user_id)",
      ],
      { down: "drop table user_sessions" },
    ),
    Migration.step("create table user_failures", createFailures, { down: "drop table user_failures" }),
    Migration.step(
      "add columns device, last_seen_at to user_sessions",
      ({ string, timestamp }) => [
        `alter table user_sessions add column device ${string(64)}`,
        // Null for existing sessions until their next request.
        `alter table user_sessions add column last_seen_at ${timestamp}`,
      ],
      {
        down: ["alter table user_sessions drop column device", "alter table user_sessions drop column last_seen_at"],
      },
    ),
    Migration.step(
      "index creation times of user_sessions",
      "create index user_sessions_created_at on user_sessions (created_at)",
      {
        down: {
          sqlite: "drop index user_sessions_created_at",
          postgresql: "drop index user_sessions_created_at",
          mariadb: "drop index user_sessions_created_at on user_sessions",
        },
      },
    ),
    Migration.step(
      "add column version to user_users",
      ({ int }) => `alter table user_users add column version ${int} not null default 0`,
      { down: "alter table user_users drop column version" },
    ),
    // Failures count for a day at most, so the old ones are not copied.
    Migration.step(
      "count failures in user_failures per scope",
      ({ string, int, timestamp }) => [
        "drop table user_failures",
        `create table user_failures (
          account ${string(43)} not null,
          scope ${string(64)} not null,
          failures ${int} not null,
          failed_at ${timestamp} not null,
          primary key (account, scope)
        )`,
        "create index user_failures_failed_at on user_failures (failed_at)",
      ],
      { down: (types) => ["drop table user_failures", ...createFailures(types)] },
    ),
    // Without foreign keys: an impersonation whose session is gone has ended, and that is recorded before it is deleted.
    Migration.step(
      "create table user_impersonations",
      ({ uuid, timestamp }) => `create table user_impersonations (
        id ${uuid} primary key,
        session_id ${uuid} not null,
        admin_id ${uuid} not null,
        user_id ${uuid} not null,
        ends_at ${timestamp} not null
      )`,
      { down: "drop table user_impersonations" },
    ),
  ]),
];
