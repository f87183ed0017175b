import { createHash } from "node:crypto";
import { type Database, type Options, Row, sql, type Statement } from "../../database/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";

const freeFailures = 5;
const longestWait = Time.minutes(15);
const memory = Time.days(1);

const failureRow = Row.record({ failures: Row.int, failed_at: Row.timestamp });

/** How long an account has to wait after so many failures in a row, in milliseconds. */
export function waitAfter(failures: number): number {
  return failures < freeFailures ? 0 : Math.min(Time.minutes(2 ** (failures - freeFailures)), longestWait);
}

/** The failed log-ins of accounts, whether there are such accounts or not: so that their count tells nothing. */
export interface Failures {
  /** Whether the account has failed lately, and how long it has still to wait, in milliseconds. */
  find(key: string, options?: Options): Promise<{ readonly isKnown: boolean; readonly wait: number }>;
  add(key: string, options?: Options): Promise<void>;
  /** Forgets the failures of an account. */
  forget(key: string, options?: Options): Promise<void>;
}

/** Keeps failures in a table, so that all processes count together. */
export function failuresIn(database: Database): Failures {
  // Cleaning and counting may wait for each other's rows.
  const again = (change: Statement<unknown>, options: Options | undefined): Promise<number> =>
    database.transaction(() => database.exec(change, options), { ...options, retry: 5 });

  const add = async (key: string, options?: Options): Promise<void> => {
    const now = Time.now();
    const forgotten = new Date(now.getTime() - memory);
    const counted = sql`case when user_failures.failed_at < ${forgotten} then 1 else user_failures.failures + 1 end`;
    const upsert = sql`insert into user_failures (account, failures, failed_at) values (${accountOf(key)}, 1, ${now}) ${sql.dialect(
      {
        postgresql: sql`on conflict (account) do update set failures = ${counted}, failed_at = ${now}`,
        sqlite: sql`on conflict (account) do update set failures = ${counted}, failed_at = ${now}`,
        mariadb: sql`on duplicate key update failures = ${counted}, failed_at = ${now}`,
      },
    )}`;
    await again(upsert, options);
    // Now and then is often enough for a table whose rows matter for a day.
    if (Random.int(1, 64) === 1) await again(sql`delete from user_failures where failed_at < ${forgotten}`, options);
  };

  return {
    find: async (key, options) => {
      const found = await database.findOpt(
        sql.row(failureRow)`select failures, failed_at from user_failures where account = ${accountOf(key)}`,
        options,
      );
      if (found === undefined) return { isKnown: false, wait: 0 };
      // What failed in the future was noted by a clock that is or was wrong: it locks nobody out until then.
      const since = Math.abs(Time.timestamp() - found.failed_at.getTime());
      return { isKnown: true, wait: Math.max(0, waitAfter(found.failures) - since) };
    },
    add,
    forget: async (key, options) => {
      await database.exec(sql`delete from user_failures where account = ${accountOf(key)}`, options);
    },
  };
}

// People type passwords into the field of the address: what was typed is not kept.
const accountOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
