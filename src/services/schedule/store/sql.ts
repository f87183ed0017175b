import { type ContextOptions, error, isError, ok } from "../../../core/index.ts";
import { type Database, Row, type RowType, sql, type Statement } from "../../../database/index.ts";
import { Migration } from "../../../migration/index.ts";
import { Random } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import type { RunRecord, Schedule } from "../contract.ts";
import {
  continuedSlot,
  leaseMsOf,
  maxClockSkewMs,
  maxRunRecords,
  type RunLease,
  type ScheduleStore,
} from "./contract.ts";

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

const stateRow = Row.record({
  timing: Row.text,
  due_after: Row.timestamp,
  last_slot: Row.nullable(Row.timestamp),
});

const runRow: RowType<RunRecord> = Row.record({
  id: Row.uuid,
  schedule: Row.text,
  slot: Row.nullable(Row.timestamp),
  started_at: Row.timestamp,
  ended_at: Row.nullable(Row.timestamp),
  outcome: Row.oneOf("running", "succeeded", "failed", "lost"),
  error: Row.nullable(Row.text),
});

/**
 * Creates the store that all processes of a database share.
 *
 * The lease is in the row of the schedule: the process whose update changes the row has the run. The table of runs is a
 * record, and prevents a second run of a slot when the clock was set back before the last sequence of slots.
 */
export function sqlStore(database: Database): ScheduleStore {
  const register = async ({ name, timing }: Schedule, options: ContextOptions): Promise<Date> => {
    const now = Time.now();
    const selectState = sql.row(stateRow)`select ${sql.columns(stateRow)} from schedule_state where name = ${name}`;
    let state = await database.findOpt(selectState, options);
    if (state === undefined) {
      try {
        await database.exec(
          sql`insert into schedule_state (name, timing, due_after) values (${name}, ${timing}, ${now})`,
          options,
        );
      } catch (cause) {
        if (!isError(cause, "E_DATABASE_UNIQUE")) throw cause;
      }
      state = await database.find(selectState, options);
    }
    if (state.timing !== timing) {
      await database.exec(
        sql`update schedule_state set timing = ${timing}, due_after = ${now}
          where name = ${name} and timing <> ${timing}`,
        options,
      );
      return now;
    }
    const { due_after, last_slot } = state;
    return last_slot !== null && last_slot > due_after ? last_slot : due_after;
  };

  return {
    register,

    claim: async (schedule, slot, options) => {
      const { name } = schedule;
      const now = Time.now();
      const durationMs = leaseMsOf(schedule, slot ?? now);
      const lease: RunLease = { id: Random.uuid(), schedule: name, slot, started_at: now, durationMs };
      const claimed = await database.transaction<{ readonly ok: boolean }>(async (handle) => {
        if ((await handle.exec(claimStatement(schedule, lease))) === 0) return error("not free");
        // The updated row is locked, so no other process inserts a run between these statements.
        const sameSlot = sql.value(Row.uuid)`select id from schedule_runs where schedule = ${name} and slot = ${slot}`;
        if (slot !== null && (await handle.findOpt(sameSlot)) !== undefined) return error("has run");
        await handle.exec(
          sql`update schedule_runs set outcome = 'lost', ended_at = ${now}
            where schedule = ${name} and outcome = 'running'`,
        );
        await handle.exec(
          sql`insert into schedule_runs (id, schedule, slot, started_at, outcome)
            values (${lease.id}, ${name}, ${slot}, ${now}, 'running')`,
        );
        return ok();
      }, options);
      if (claimed.ok) return lease;
      // The tables may have been emptied. Then the slots after this one run.
      await register(schedule, options);
      return undefined;
    },

    renewLease: async ({ id, schedule, durationMs }, options) => {
      const leasedUntil = addMs(Time.now(), durationMs);
      const count = await database.exec(
        sql`update schedule_state set leased_until = ${leasedUntil} where name = ${schedule} and run_id = ${id}`,
        options,
      );
      return count > 0;
    },

    finish: ({ id, schedule }, errorText, options) =>
      database.transaction(async (handle) => {
        await handle.exec(
          sql`update schedule_state set run_id = null, leased_until = null where name = ${schedule} and run_id = ${id}`,
        );
        await handle.exec(
          sql`update schedule_runs set outcome = ${errorText === null ? "succeeded" : "failed"}, error = ${errorText},
            ended_at = ${Time.now()} where id = ${id} and outcome = 'running'`,
        );
        const lastToDelete = await handle.findOpt(
          sql.value(Row.timestamp)`select started_at from schedule_runs where schedule = ${schedule}
            order by started_at desc limit 1 offset ${maxRunRecords}`,
        );
        if (lastToDelete === undefined) return;
        await handle.exec(
          sql`delete from schedule_runs where schedule = ${schedule} and started_at <= ${lastToDelete}`,
        );
      }, options),

    history: (schedule, limit, options) =>
      database.collect(
        sql.row(runRow)`select ${sql.columns(runRow)} from schedule_runs where schedule = ${schedule}
          order by started_at desc, id limit ${limit}`,
        options,
      ),

    pausedNames: async (options) =>
      new Set(
        await database.collect(
          sql.value(Row.text)`select name from schedule_state where paused_at is not null`,
          options,
        ),
      ),

    setPaused: async (schedule, isPaused, options) => {
      await register(schedule, options);
      const now = Time.now();
      await database.exec(
        isPaused
          ? sql`update schedule_state set paused_at = ${now} where name = ${schedule.name} and paused_at is null`
          : sql`update schedule_state set paused_at = null, due_after = ${now}
              where name = ${schedule.name} and paused_at is not null`,
        options,
      );
    },
  };
}

/** Returns the statement that acquires the lease of a schedule, if no other run is in progress and the slot is due. */
function claimStatement(schedule: Schedule, { id, slot, started_at: now, durationMs }: RunLease): Statement<unknown> {
  const { name } = schedule;
  const leasedUntil = addMs(now, durationMs);
  // A lease that ends further ahead was written by a wrong clock.
  const maxLeasedUntil = addMs(leasedUntil, maxClockSkewMs);
  const isFree = sql`(leased_until is null or leased_until <= ${now} or leased_until > ${maxLeasedUntil})`;
  if (slot === null) {
    return sql`update schedule_state set run_id = ${id}, leased_until = ${leasedUntil} where name = ${name} and ${isFree}`;
  }
  const continues = sql`last_slot >= ${continuedSlot(schedule, slot)} and last_slot < ${slot}`;
  return sql`update schedule_state set run_id = ${id}, leased_until = ${leasedUntil}, last_slot = ${slot},
      sequence_start = case when ${continues} then sequence_start else ${slot} end
    where name = ${name} and ${isFree} and paused_at is null
      and (last_slot is null or last_slot < ${slot} or sequence_start > ${slot})`;
}

const addMs = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
