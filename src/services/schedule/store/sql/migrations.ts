import { Migration } from "../../../../migration/index.ts";

/** Migration that creates the tables of schedules: one row per schedule, and one per recorded run. */
export const migrations: readonly Migration.Migration[] = [
  Migration.make("schedule", [
    Migration.step(
      "create tables schedule_state and schedule_runs",
      ({ uuid, string, text, timestamp }) => [
        `create table schedule_state (
          name ${string(100)} primary key,
          timing ${text} not null,
          due_after ${timestamp} not null,
          last_slot ${timestamp},
          paused_at ${timestamp},
          run_id ${uuid},
          leased_until ${timestamp}
        )`,
        `create table schedule_runs (
          id ${uuid} primary key,
          schedule ${string(100)} not null,
          slot ${timestamp},
          started_at ${timestamp} not null,
          ended_at ${timestamp},
          outcome ${string(20)} not null,
          error ${text},
          constraint schedule_runs_slot unique (schedule, slot)
        )`,
        "create index schedule_runs_started on schedule_runs (schedule, started_at)",
      ],
      { down: ["drop table schedule_runs", "drop table schedule_state"] },
    ),
    Migration.step(
      "add schedule_state.sequence_start",
      ({ timestamp }) => `alter table schedule_state add column sequence_start ${timestamp}`,
      { down: "alter table schedule_state drop column sequence_start" },
    ),
  ]),
];
