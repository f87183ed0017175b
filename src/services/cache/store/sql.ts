import { isError } from "../../../core/index.ts";
import {
  type Database,
  type DatabaseOperations,
  deleteExpired,
  insertOrSkip,
  type OperationOptions,
  Row,
  sql,
  type Statement,
} from "../../../database/index.ts";
import { type MigratedService, Migration } from "../../../migration/index.ts";
import type { Cache } from "../contract.ts";
import { parseInteger } from "../engine/checks.ts";
import { makeCache } from "../make-cache.ts";
import type { CacheEntry, CacheStore, EntryKey } from "./contract.ts";

/**
 * Makes a cache in a database table: shared by all processes, and persistent. Inside a transaction its operations are part
 * of it. `name`, by default `cache`, is the name of the service and of its table.
 *
 * @example
 * export const cache = Cache.sql({ database });
 */
export function sqlCache({
  database,
  name = "cache",
}: {
  readonly database: Database;
  readonly name?: string;
}): Cache & MigratedService {
  const cache = makeCache({
    name,
    implementation: "sql",
    store: sqlStore(database, name),
    dependencies: () => [database],
    startPeriodicTask: (task) => database.registerExpiry(task),
  });
  return Object.assign(cache, { migrations: [cacheMigration(name)] });
}

/** Returns the migration of a cache table. An integer value is stored as a number, so that the database can add to it. */
function cacheMigration(name: string): Migration.Migration {
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

const entryRow = Row.record({
  value: Row.nullable(Row.text),
  number: Row.nullable(Row.int),
  expires_at: Row.optional(Row.timestamp),
  kept_until: Row.optional(Row.timestamp),
});
const expiryRow = Row.record({ expires_at: Row.optional(Row.timestamp) });
const bucketRow = Row.record({ value: Row.text, number: Row.int });

const { MAX_SAFE_INTEGER: maxInteger, MIN_SAFE_INTEGER: minInteger } = Number;

/** Maximum time that a rate-limited request waits for the database, in milliseconds. */
const consumeTimeoutMs = 2000;

const onConflictUpdate = sql.dialect({
  sqlite: sql`on conflict (kind, name) do update set`,
  postgresql: sql`on conflict (kind, name) do update set`,
  mariadb: sql`on duplicate key update`,
});
const excludedColumns = sql`value = excluded.value, number = excluded.number, expires_at = excluded.expires_at, kept_until = excluded.kept_until`;
const allColumns = sql.dialect({
  sqlite: excludedColumns,
  postgresql: excludedColumns,
  mariadb: sql`value = values(value), number = values(number), expires_at = values(expires_at), kept_until = values(kept_until)`,
});

/** Makes a store in a database table. Each operation is one statement, except `setIfAbsent` over an expired entry. */
export function sqlStore(database: Database, name: string): CacheStore {
  const statements = withDeadlockRetry(database);
  const table = sql.identifier(name, [name]);
  const columns = sql`(kind, name, value, number, expires_at, kept_until)`;
  const number = sql`${table}.number`;
  const hasKey = ({ kind, key }: EntryKey): Statement<unknown> => sql`kind = ${kind} and name = ${key}`;
  const toValues = ({ kind, key }: EntryKey, { value, expiresAt, keptUntil }: CacheEntry): Statement<unknown> => {
    const integer = parseInteger(value);
    const text = integer === undefined ? value : null;
    return sql`(${kind}, ${key}, ${text}, ${integer ?? null}, ${toDate(expiresAt)}, ${toDate(keptUntil)})`;
  };

  return {
    findOpt: async (entryKey) => {
      const row = await statements.findOpt(
        sql.row(entryRow)`select value, number, expires_at, kept_until from ${table} where ${hasKey(entryKey)}`,
        toOptions(entryKey),
      );
      return row === undefined
        ? undefined
        : {
            value: row.value ?? String(row.number),
            expiresAt: row.expires_at?.getTime(),
            keptUntil: row.kept_until?.getTime(),
          };
    },
    set: async (entryKey, entry) => {
      await statements.exec(
        sql`insert into ${table} ${columns} values ${toValues(entryKey, entry)} ${onConflictUpdate} ${allColumns}`,
        toOptions(entryKey),
      );
    },
    setIfAbsent: async (entryKey, entry, now) => {
      const insert = insertOrSkip(sql`${table} ${columns} values ${toValues(entryKey, entry)}`);
      const options = toOptions(entryKey);
      if ((await statements.exec(insert, options)) === 1) return true;
      const deleted = await statements.exec(
        sql`delete from ${table} where ${hasKey(entryKey)} and expires_at <= ${new Date(now)}`,
        options,
      );
      return deleted === 1 && (await statements.exec(insert, options)) === 1;
    },
    increment: async (entryKey, by, entry, now) => {
      const isExpired = sql`${table}.expires_at <= ${new Date(now)}`;
      // MariaDB assigns columns in order: `expires_at`, which the other expressions read, comes last.
      const sum = await statements.find(
        sql.value(Row.nullable(Row.int))`
          insert into ${table} ${columns} values ${toValues(entryKey, entry)} ${onConflictUpdate}
            number = case
              when ${isExpired} then ${by}
              when ${number} > ${maxInteger - Math.max(by, 0)} then ${maxInteger}
              when ${number} < ${minInteger - Math.min(by, 0)} then ${minInteger}
              else ${number} + ${by} end,
            value = case when ${isExpired} then null else ${table}.value end,
            kept_until = case when ${isExpired} then ${toDate(entry.keptUntil)} else ${table}.kept_until end,
            expires_at = case when ${isExpired} then ${toDate(entry.expiresAt)} else ${table}.expires_at end
          returning number`,
        toOptions(entryKey),
      );
      return sum ?? undefined;
    },
    extend: async (entryKey, value, until, now) => {
      const extended = await statements.exec(
        sql`update ${table} set expires_at = ${new Date(until)}, kept_until = ${new Date(until)}
          where ${hasKey(entryKey)} and value = ${value} and expires_at > ${new Date(now)}`,
        toOptions(entryKey),
      );
      return extended === 1;
    },
    remove: async (entryKey, now, value) => {
      const hasValue = value === undefined ? sql`` : sql`and value = ${value}`;
      const deleted = await statements.findOpt(
        sql.row(expiryRow)`delete from ${table} where ${hasKey(entryKey)} ${hasValue} returning expires_at`,
        toOptions(entryKey),
      );
      return deleted !== undefined && (deleted.expires_at === undefined || deleted.expires_at.getTime() > now);
    },
    consume: async (entryKey, { nowUs, costUs, capacityUs }) => {
      const maxBeforeConsume = nowUs + capacityUs - costUs;
      const periodEnd = new Date(Math.ceil((nowUs + capacityUs) / 1000));
      const nextPeriodEnd = new Date(Math.ceil((nowUs + 2 * capacityUs) / 1000));
      // Indexed, so `kept_until` moves at most once per period.
      const bucket = await statements.find(
        sql.row(bucketRow)`
          insert into ${table} ${columns}
            values (${entryKey.kind}, ${entryKey.key}, ${"1"}, ${nowUs + costUs}, ${null}, ${nextPeriodEnd})
            ${onConflictUpdate}
            value = case when ${number} <= ${maxBeforeConsume} then '1' else '0' end,
            number = case
              when ${number} <= ${nowUs} then ${nowUs + costUs}
              when ${number} <= ${maxBeforeConsume} then ${number} + ${costUs}
              when ${number} <= ${nowUs + capacityUs} then ${number}
              else ${nowUs + capacityUs} end,
            kept_until = case when ${table}.kept_until < ${periodEnd} then ${nextPeriodEnd} else ${table}.kept_until end
          returning value, number`,
        { timeoutMs: consumeTimeoutMs, ...toOptions(entryKey) },
      );
      return { isAllowed: bucket.value === "1", fullAt: bucket.number };
    },
    clear: async ({ prefix, isAll, ...options }) => {
      if (isAll) return statements.exec(sql`delete from ${table}`, options);
      // The range uses the index; the comparison of the prefix is exact, independent of the collation.
      return statements.exec(
        sql`delete from ${table}
          where kind = ${"value"} and name >= ${prefix} and substr(name, 1, ${Array.from(prefix).length}) = ${prefix}`,
        options,
      );
    },
    purge: (now, options) =>
      deleteExpired(database, { table: name, column: "kept_until", until: new Date(now) }, options),
  };
}

const toDate = (time: number | undefined): Date | null => (time === undefined ? null : new Date(time));

const toOptions = ({ ctx }: EntryKey): OperationOptions => (ctx === undefined ? {} : { ctx });

const maxAttempts = 10;

/** Runs a single statement again after a deadlock, which MariaDB reports even for statements that change one row. */
function withDeadlockRetry(database: Database): Pick<DatabaseOperations, "find" | "findOpt" | "exec"> {
  return {
    find: (statement, options) => retryOnDeadlock(() => database.find(statement, options)),
    findOpt: (statement, options) => retryOnDeadlock(() => database.findOpt(statement, options)),
    exec: (statement, options) => retryOnDeadlock(() => database.exec(statement, options)),
  };
}

async function retryOnDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      // The deadlock rolled back the surrounding transaction: its owner must run all of it again, so gets the deadlock.
      if (isError(error, "E_DATABASE_TRANSACTION_ABORTED") && isDeadlock(error.cause)) throw error.cause;
      if (!isDeadlock(error) || attempt >= maxAttempts) throw error;
    }
  }
}

const isDeadlock = (error: unknown): boolean => isError(error, "E_DATABASE_DEADLOCK");
