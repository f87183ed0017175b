import type { ContextOptions } from "../../../core/index.ts";
import { type Database, deleteUntil, isTaken, Row, sql, type Statement } from "../../../database/index.ts";
import { Schema } from "../../../schema/index.ts";
import { Time } from "../../../time/index.ts";
import type { EndStatus, Instance, InstanceQuery, Status } from "../contract.ts";
import { wrongClock } from "../limits.ts";
import {
  type Claim,
  type Claimed,
  type Held,
  type NewInstance,
  priorities,
  type Settlement,
  statuses,
  type Store,
  type Waiting,
} from "../store.ts";
import { claim } from "./claim.ts";
import { insert } from "./insert.ts";
import { positions, timeOf } from "./position.ts";
import { claimedColumns, claimedOf, claimedRow, instanceColumns, instanceOfRow, instanceRow } from "./row.ts";
import { search } from "./search.ts";
import { mostRetries, renew, settle } from "./settle.ts";

const reclaimedAtOnce = 100;

const countRow = Row.record({ status: Row.text, count: Row.int });
const waitingRow = Row.record({ name: Row.text, count: Row.int, since: Row.timestamp });
const dueRow = Row.record({
  first: Row.nullable(Row.bigint),
  second: Row.nullable(Row.bigint),
  third: Row.nullable(Row.bigint),
});

/** Keeps instances in the table `queue_jobs` of a database. */
export class SqlStore implements Store {
  readonly implementation = "sql";
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  dependencies(): readonly [Database] {
    return [this.#database];
  }

  insert(instances: readonly NewInstance[], options: ContextOptions): Promise<readonly string[]> {
    return insert(this.#database, instances, options);
  }

  afterCommit(callback: () => void): void {
    this.#database.afterCommit(callback);
  }

  async find(id: string, options: ContextOptions): Promise<Instance | undefined> {
    if (!Schema.isUuid(id)) return undefined;
    const row = await this.#database.findOpt(
      sql.row(instanceRow)`select ${instanceColumns} from queue_jobs where id = ${id}`,
      options,
    );
    return row === undefined ? undefined : instanceOfRow(row);
  }

  search(query: InstanceQuery, options: ContextOptions): Promise<readonly [readonly Instance[], number]> {
    return search(this.#database, query, options);
  }

  async counts(options: ContextOptions): Promise<Readonly<Record<Status, number>>> {
    const rows = await this.#database.collect(
      sql.row(countRow)`select status, count(*) as count from queue_jobs group by status`,
      options,
    );
    const found = new Map(rows.map(({ status, count }) => [status, count]));
    return Object.fromEntries(statuses.map((status) => [status, found.get(status) ?? 0])) as Record<Status, number>;
  }

  async cancel(id: string, options: ContextOptions): Promise<boolean> {
    if (!Schema.isUuid(id)) return false;
    const now = Time.now();
    const statement = sql`update queue_jobs
      set status = 'cancelled', active_key = null, leased_until = null, finished_at = ${now}, updated_at = ${now}
      where id = ${id} and status in ('pending', 'running')`;
    const count = await this.#change(statement, options);
    return count > 0;
  }

  async requeue(id: string, options: ContextOptions): Promise<boolean> {
    if (!Schema.isUuid(id)) return false;
    const now = Time.now();
    const statement = sql`update queue_jobs
      set status = 'pending', active_key = unique_key, tries = 0, position = ${positions(now, 1)[0]},
        next_run_at = ${now}, lease = null, leased_until = null, finished_at = null, updated_at = ${now}
      where id = ${id} and status <> 'running'`;
    try {
      // In a transaction of its own, a key that is in use spoils none around.
      return (await this.#change(statement, options)) > 0;
    } catch (error) {
      if (isTaken(error, "active_key")) return false;
      throw error;
    }
  }

  #change(statement: Statement<unknown>, options: ContextOptions): Promise<number> {
    const change = (): Promise<number> => this.#database.exec(statement, options);
    return this.#database.transaction(change, { ...options, retry: mostRetries });
  }

  async purge(ended: readonly EndStatus[], before: Date, options: ContextOptions): Promise<number> {
    const exec: Database["exec"] = (statement, called = {}) => this.#change(statement, called);
    const retrying = { ...this.#database, exec };
    let deleted = 0;
    for (const status of ended) {
      const where = sql`status = ${status}`;
      const rows = { table: "queue_jobs", column: "finished_at", until: before, where };
      deleted += await deleteUntil(retrying, rows, options);
    }
    return deleted;
  }

  waiting(options: ContextOptions): Promise<readonly Waiting[]> {
    return this.#database.collect(
      sql.row(waitingRow)`select name, count(*) as count, min(next_run_at) as since from queue_jobs
        where status = 'pending' and next_run_at <= ${Time.now()} group by name order by name`,
      options,
    );
  }

  async nextDue(names: readonly string[]): Promise<Date | undefined> {
    const [first, second, third] = priorities.map(
      (_, priority) => sql`(select position from queue_jobs
        where status = 'pending' and priority = ${priority} and ${sql.in(sql`name`, names)}
        order by position limit 1)`,
    );
    const found = await this.#database.find(
      sql.row(dueRow)`select ${first} as first, ${second} as second, ${third} as third`,
    );
    const times = Object.values(found).flatMap((position) => (position === null ? [] : timeOf(position).getTime()));
    return times.length === 0 ? undefined : new Date(Math.min(...times));
  }

  claim(asked: Claim): Promise<readonly Claimed[]> {
    return claim(this.#database, asked);
  }

  renew(held: readonly Held[], until: Date): Promise<ReadonlySet<Held>> {
    return renew(this.#database, held, until);
  }

  settle(settlements: readonly Settlement[]): Promise<ReadonlySet<Settlement>> {
    return settle(this.#database, settlements);
  }

  async reclaim(
    names: readonly string[],
    error: string,
  ): Promise<{ readonly freed: number; readonly failed: readonly Claimed[] }> {
    const now = Time.now();
    // So far ahead no lease ends: the clock of who took it was wrong.
    const isOver = sql`(leased_until < ${now} or leased_until > ${new Date(now.getTime() + wrongClock)})`;
    const lost = await this.#database.collect(
      sql.row(claimedRow)`select ${claimedColumns} from queue_jobs
        where status = 'running' and ${isOver} and ${sql.in(sql`name`, names)}
        order by leased_until limit ${reclaimedAtOnce}`,
    );
    if (lost.length === 0) return { freed: 0, failed: [] };
    const end = async (): Promise<{ readonly freed: number; readonly failed: readonly Claimed[] }> => {
      let freed = 0;
      const failed: Claimed[] = [];
      for (const row of lost) {
        const { id, lease = null, tries, max_tries } = row;
        const isLast = tries >= max_tries;
        const change = isLast
          ? sql`status = 'failed', active_key = null, finished_at = ${now}`
          : sql`status = 'pending'`;
        // Without its lease it is not taken for one that its worker has ended.
        const count = await this.#database.exec(sql`update queue_jobs
          set ${change}, lease = null, leased_until = null, last_error = ${error}, last_error_at = ${now},
            updated_at = ${now}
          where id = ${id} and status = 'running' and lease = ${lease} and ${isOver}`);
        if (count === 0) continue;
        if (isLast) failed.push(claimedOf(row));
        else freed += 1;
      }
      return { freed, failed };
    };
    // All or none: what has failed must be told.
    return this.#database.transaction(end, { retry: mostRetries });
  }
}
