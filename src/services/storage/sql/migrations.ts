import { Migration } from "../../../database/index.ts";

/** The tables of a storage: what is known of each file, and the contents in pieces. */
export function migrationsOf(name: string): readonly Migration.Migration[] {
  return [
    Migration.make(name, [
      Migration.step(
        `create the tables of ${name}`,
        ({ uuid, string, int, timestamp, bytes }) => [
          `create table ${name}_files (
            id ${uuid} primary key,
            filename ${string(200)} not null,
            size ${int} not null,
            content_type ${string(200)} not null,
            checksum ${string(64)} not null,
            created_at ${timestamp} not null,
            is_complete ${int} not null
          )`,
          `create table ${name}_pieces (
            file_id ${uuid} not null,
            number ${int} not null,
            content ${bytes} not null,
            primary key (file_id, number)
          )`,
        ],
        { down: [`drop table ${name}_pieces`, `drop table ${name}_files`] },
      ),
    ]),
  ];
}
