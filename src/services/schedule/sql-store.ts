import { type ContextOptions, error, isError, ok } from "../../core/index.ts";
import { type Database, Row, type RowType, sql } from "../../database/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { Claim, Run, Schedule, ScheduleStore } from "./contract.ts";
import { leaseTime, remembered, setBack } from "./limits.ts";

const stateRow = Row.record({
  timing: Row.text,
  since: Row.timestamp,
  last_slot: Row.nullable(Row.timestamp),
});

const runRow: RowType<Run> = Row.record({
  id: Row.uuid,
  schedule: Row.text,
  slot: Row.nullable(Row.timestamp),
  started_at: Row.timestamp,
  ended_at: Row.nullable(Row.timestamp),
  outcome: Row.oneOf("running", "succeeded", "failed", "lost"),
  error: Row.nullable(Row.text),
});

/**
 * Makes the store that all processes on a database share.
 *
 * A claim is a lease on the row of the schedule: whoever changes the row has the run. The table of runs is there to look
 * at, and keeps a slot from being run twice when the clock was set back by more than a day.
 */
export function sqlStore(database: Database): ScheduleStore {
  const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

  const open = async ({ name, timing }: Schedule, options: ContextOptions): Promise<Date> => {
    const now = Time.now();
    const find = sql.row(stateRow)`select ${sql.columns(stateRow)} from schedule_state where name = ${name}`;
    let state = await database.findOpt(find, options);
    if (state === undefined) {
      try {
        await database.exec(
          sql`insert into schedule_state (name, timing, since) values (${name}, ${timing}, ${now})`,
          options,
        );
      } catch (cause) {
        if (!isError(cause, "E_DATABASE_UNIQUE")) throw cause;
      }
      state = await database.find(find, options);
    }
    if (state.timing !== timing) {
      await database.exec(
        sql`update schedule_state set timing = ${timing}, since = ${now} where name = ${name} and timing <> ${timing}`,
        options,
      );
      return now;
    }
    const { since, last_slot } = state;
    return last_slot !== null && last_slot > since ? last_slot : since;
  };

  /** Changes the row of the schedule, unless there is nothing to be run. */
  const lease = (name: string, id: string, slot: Date | null, now: Date): ReturnType<typeof sql> => {
    const until = later(now, leaseTime);
    // No lease ends a day from now: the clock of who took it was wrong.
    const isFree = sql`(leased_until is null or leased_until <= ${now} or leased_until > ${later(now, setBack)})`;
    return slot === null
      ? sql`update schedule_state set run_id = ${id}, leased_until = ${until} where name = ${name} and ${isFree}`
      : sql`update schedule_state set run_id = ${id}, leased_until = ${until}, last_slot = ${slot}
          where name = ${name} and ${isFree} and paused_at is null
            and (last_slot is null or last_slot < ${slot} or last_slot > ${later(now, setBack)})`;
  };

  return {
    open,

    claim: async (schedule, slot, options) => {
      const { name } = schedule;
      const now = Time.now();
      const claim: Claim = { id: Random.uuid(), schedule: name, slot, started_at: now };
      const claimed = await database.transaction<{ readonly ok: boolean }>(async (handle) => {
        if ((await handle.exec(lease(name, claim.id, slot, now))) === 0) return error("not free");
        // From here on all others wait for this transaction: nobody inserts between the question and the answer.
        const same = sql.value(Row.uuid)`select id from schedule_runs where schedule = ${name} and slot = ${slot}`;
        if (slot !== null && (await handle.findOpt(same)) !== undefined) return error("was run");
        await handle.exec(
          sql`update schedule_runs set outcome = 'lost', ended_at = ${now} where schedule = ${name} and outcome = 'running'`,
        );
        await handle.exec(
          sql`insert into schedule_runs (id, schedule, slot, started_at, outcome)
            values (${claim.id}, ${name}, ${slot}, ${now}, 'running')`,
        );
        return ok();
      }, options);
      if (claimed.ok) return claim;
      // Somebody may have emptied the tables: then the slots after this one are run.
      await open(schedule, options);
      return undefined;
    },

    renew: async ({ id, schedule }, options) => {
      const until = later(Time.now(), leaseTime);
      const renewed = await database.exec(
        sql`update schedule_state set leased_until = ${until} where name = ${schedule} and run_id = ${id}`,
        options,
      );
      return renewed > 0;
    },

    finish: ({ id, schedule }, reason, options) =>
      database.transaction(async (handle) => {
        await handle.exec(
          sql`update schedule_state set run_id = null, leased_until = null where name = ${schedule} and run_id = ${id}`,
        );
        await handle.exec(
          sql`update schedule_runs set outcome = ${reason === null ? "succeeded" : "failed"}, error = ${reason},
            ended_at = ${Time.now()} where id = ${id} and outcome = 'running'`,
        );
        const first = await handle.findOpt(
          sql.value(Row.timestamp)`select started_at from schedule_runs where schedule = ${schedule}
            order by started_at desc limit 1 offset ${remembered}`,
        );
        if (first === undefined) return;
        await handle.exec(sql`delete from schedule_runs where schedule = ${schedule} and started_at <= ${first}`);
      }, options),

    history: (schedule, limit, options) =>
      database.collect(
        sql.row(runRow)`select ${sql.columns(runRow)} from schedule_runs where schedule = ${schedule}
          order by started_at desc, id limit ${limit}`,
        options,
      ),

    paused: async (options) =>
      new Set(
        await database.collect(
          sql.value(Row.text)`select name from schedule_state where paused_at is not null`,
          options,
        ),
      ),

    setPaused: async (schedule, isPaused, options) => {
      await open(schedule, options);
      const now = Time.now();
      await database.exec(
        isPaused
          ? sql`update schedule_state set paused_at = ${now} where name = ${schedule.name} and paused_at is null`
          : sql`update schedule_state set paused_at = null, since = ${now}
              where name = ${schedule.name} and paused_at is not null`,
        options,
      );
    },
  };
}
