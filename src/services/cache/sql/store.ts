import { type Database, deleteUntil, type Options, Row, sql, type Statement } from "../../../database/index.ts";
import { numberOf } from "../checks.ts";
import type { CacheStore, Entry, Place } from "../contract.ts";
import { retrying } from "./retrying.ts";

const entryRow = Row.record({
  value: Row.nullable(Row.text),
  number: Row.nullable(Row.int),
  expires_at: Row.optional(Row.timestamp),
  kept_until: Row.optional(Row.timestamp),
});
const expiryRow = Row.record({ expires_at: Row.optional(Row.timestamp) });
const bucketRow = Row.record({ value: Row.text, number: Row.int });

const { MAX_SAFE_INTEGER: largest, MIN_SAFE_INTEGER: smallest } = Number;

/** What a request waits for a database that counts it, in milliseconds. */
const takeTimeout = 2000;

const insertOrUpdate = sql.dialect({
  sqlite: sql`on conflict (kind, name) do update set`,
  postgresql: sql`on conflict (kind, name) do update set`,
  mariadb: sql`on duplicate key update`,
});
const replaced = sql.dialect({
  sqlite: sql`value = excluded.value, number = excluded.number, expires_at = excluded.expires_at, kept_until = excluded.kept_until`,
  postgresql: sql`value = excluded.value, number = excluded.number, expires_at = excluded.expires_at, kept_until = excluded.kept_until`,
  mariadb: sql`value = values(value), number = values(number), expires_at = values(expires_at), kept_until = values(kept_until)`,
});
const ignore = sql.dialect({ sqlite: sql``, postgresql: sql``, mariadb: sql`ignore` });
const orNothing = sql.dialect({
  sqlite: sql`on conflict do nothing`,
  postgresql: sql`on conflict do nothing`,
  mariadb: sql``,
});

/** The entries in a table of a database. Each operation is one statement, but `add` where an entry is over. */
export function sqlStore(database: Database, name: string): CacheStore {
  const statements = retrying(database);
  const table = sql.identifier(name, [name]);
  const columns = sql`(kind, name, value, number, expires_at, kept_until)`;
  const at = ({ kind, key }: Place): Statement<unknown> => sql`kind = ${kind} and name = ${key}`;
  const row = ({ kind, key }: Place, { value, expiresAt, keptUntil }: Entry): Statement<unknown> => {
    const number = numberOf(value);
    const text = number === undefined ? value : null;
    return sql`(${kind}, ${key}, ${text}, ${number ?? null}, ${dateOf(expiresAt)}, ${dateOf(keptUntil)})`;
  };

  return {
    find: async (place) => {
      const found = await statements.findOpt(
        sql.row(entryRow)`select value, number, expires_at, kept_until from ${table} where ${at(place)}`,
        optionsOf(place),
      );
      return found === undefined
        ? undefined
        : {
            value: found.value ?? String(found.number),
            expiresAt: found.expires_at?.getTime(),
            keptUntil: found.kept_until?.getTime(),
          };
    },
    set: async (place, entry) => {
      await statements.exec(
        sql`insert into ${table} ${columns} values ${row(place, entry)} ${insertOrUpdate} ${replaced}`,
        optionsOf(place),
      );
    },
    add: async (place, entry, now) => {
      const insert = sql`insert ${ignore} into ${table} ${columns} values ${row(place, entry)} ${orNothing}`;
      const options = optionsOf(place);
      if ((await statements.exec(insert, options)) === 1) return true;
      const removed = await statements.exec(
        sql`delete from ${table} where ${at(place)} and expires_at <= ${new Date(now)}`,
        options,
      );
      return removed === 1 && (await statements.exec(insert, options)) === 1;
    },
    increment: async (place, by, entry, now) => {
      const isOver = sql`${table}.expires_at <= ${new Date(now)}`;
      const number = sql`${table}.number`;
      // MariaDB assigns one after the other: what the others look at, the time, comes last.
      const sum = await statements.find(
        sql.value(Row.nullable(Row.int))`
          insert into ${table} ${columns} values ${row(place, entry)} ${insertOrUpdate}
            number = case
              when ${isOver} then ${by}
              when ${number} > ${largest - Math.max(by, 0)} then ${largest}
              when ${number} < ${smallest - Math.min(by, 0)} then ${smallest}
              else ${number} + ${by} end,
            value = case when ${isOver} then null else ${table}.value end,
            kept_until = case when ${isOver} then ${dateOf(entry.keptUntil)} else ${table}.kept_until end,
            expires_at = case when ${isOver} then ${dateOf(entry.expiresAt)} else ${table}.expires_at end
          returning number`,
        optionsOf(place),
      );
      return sum ?? undefined;
    },
    extend: async (place, value, until, now) => {
      const extended = await statements.exec(
        sql`update ${table} set expires_at = ${new Date(until)}, kept_until = ${new Date(until)}
          where ${at(place)} and value = ${value} and expires_at > ${new Date(now)}`,
        optionsOf(place),
      );
      return extended === 1;
    },
    remove: async (place, now, value) => {
      const only = value === undefined ? sql`` : sql`and value = ${value}`;
      const removed = await statements.findOpt(
        sql.row(expiryRow)`delete from ${table} where ${at(place)} ${only} returning expires_at`,
        optionsOf(place),
      );
      return removed !== undefined && (removed.expires_at === undefined || removed.expires_at.getTime() > now);
    },
    take: async (place, { now, cost, capacity }) => {
      const number = sql`${table}.number`;
      const latest = now + capacity - cost;
      const end = new Date(Math.ceil((now + capacity) / 1000));
      const later = new Date(Math.ceil((now + 2 * capacity) / 1000));
      // The time that has an index is moved once per period only.
      const bucket = await statements.find(
        sql.row(bucketRow)`
          insert into ${table} ${columns}
            values (${place.kind}, ${place.key}, ${"1"}, ${now + cost}, ${null}, ${later}) ${insertOrUpdate}
            value = case when ${number} <= ${latest} then '1' else '0' end,
            number = case
              when ${number} <= ${now} then ${now + cost}
              when ${number} <= ${latest} then ${number} + ${cost}
              when ${number} <= ${now + capacity} then ${number}
              else ${now + capacity} end,
            kept_until = case when ${table}.kept_until < ${end} then ${later} else ${table}.kept_until end
          returning value, number`,
        { timeout: takeTimeout, ...optionsOf(place) },
      );
      return { isAllowed: bucket.value === "1", fullAt: bucket.number };
    },
    clear: async ({ prefix, isAll, ...options }) => {
      if (isAll) return statements.exec(sql`delete from ${table}`, options);
      // The range is what the index finds; the rest says it exactly.
      return statements.exec(
        sql`delete from ${table}
          where kind = ${"value"} and name >= ${prefix} and substr(name, 1, ${Array.from(prefix).length}) = ${prefix}`,
        options,
      );
    },
    purge: (now, options) =>
      deleteUntil(statements, { table: name, column: "kept_until", until: new Date(now) }, options),
  };
}

const dateOf = (time: number | undefined): Date | null => (time === undefined ? null : new Date(time));

const optionsOf = ({ ctx }: Place): Options => (ctx === undefined ? {} : { ctx });
