import { Migration } from "../../../database/index.ts";

/** The table of a cache. A row holds text or, so that the database can count, a number. */
export function tableOf(name: string): Migration.Migration {
  return Migration.make(name, [
    Migration.step(
      `create table ${name}`,
      ({ string, text, int, timestamp }) => [
        `create table ${name} (
          kind ${string(10)} not null,
          name ${string(255)} not null,
          value ${text},
          number ${int},
          expires_at ${timestamp},
          kept_until ${timestamp},
          primary key (kind, name)
        )`,
        `create index ${name}_kept_until on ${name} (kept_until)`,
      ],
      { down: `drop table ${name}` },
    ),
  ]);
}
