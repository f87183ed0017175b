import { createHash } from "node:crypto";
import {
  type Database,
  deleteExpired,
  type OperationOptions,
  Row,
  sql,
  type Statement,
} from "../../../database/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";

const failuresBeforeLockout = 5;
const maxLockoutMs = Time.minutes(15);
const retentionMs = Time.days(1);

const failureRow = Row.record({ failures: Row.int, failed_at: Row.timestamp });

/** Returns how long an account is locked after this many consecutive failures, in milliseconds. */
export function lockoutAfter(failures: number): number {
  return failures < failuresBeforeLockout
    ? 0
    : Math.min(Time.minutes(2 ** (failures - failuresBeforeLockout)), maxLockoutMs);
}

/** Failed logins of one account. */
interface FailureStatus {
  /** True if failures are stored. */
  readonly hasFailures: boolean;
  /** Remaining lockout, in milliseconds. */
  readonly lockoutMs: number;
}

/** Counter of failed logins. It also counts for addresses without an account, so the count reveals none. */
export interface LoginFailures {
  /** Returns the failures and the remaining lockout of an account. */
  getStatus(emailKey: string, options?: OperationOptions): Promise<FailureStatus>;
  /** Counts a failed login. */
  record(emailKey: string, options?: OperationOptions): Promise<void>;
  /** Deletes the failures of an account. */
  clear(emailKey: string, options?: OperationOptions): Promise<void>;
}

/** Creates a counter in the table `user_failures`, which all processes share. */
export function loginFailures(database: Database): LoginFailures {
  // Deleting expired rows and counting a failure can deadlock on each other's rows.
  const retryOnDeadlock = (change: Statement<unknown>, options: OperationOptions | undefined): Promise<number> =>
    database.transaction(() => database.exec(change, options), { ...options, maxRetries: 5 });

  const record = async (emailKey: string, options?: OperationOptions): Promise<void> => {
    const now = Time.now();
    const expiredBefore = new Date(now.getTime() - retentionMs);
    const count = sql`case when user_failures.failed_at < ${expiredBefore} then 1 else user_failures.failures + 1 end`;
    const upsert = sql`insert into user_failures (account, failures, failed_at) values (${accountHash(emailKey)}, 1, ${now}) ${sql.dialect(
      {
        postgresql: sql`on conflict (account) do update set failures = ${count}, failed_at = ${now}`,
        sqlite: sql`on conflict (account) do update set failures = ${count}, failed_at = ${now}`,
        mariadb: sql`on duplicate key update failures = ${count}, failed_at = ${now}`,
      },
    )}`;
    await retryOnDeadlock(upsert, options);
  };

  return {
    getStatus: async (emailKey, options) => {
      const row = await database.findOpt(
        sql.row(failureRow)`select failures, failed_at from user_failures where account = ${accountHash(emailKey)}`,
        options,
      );
      if (row === undefined) return { hasFailures: false, lockoutMs: 0 };
      // A time in the future comes from a wrong clock. The absolute value limits the lockout it causes.
      const elapsedMs = Math.abs(TimeInternals.timestamp() - row.failed_at.getTime());
      return { hasFailures: true, lockoutMs: Math.max(0, lockoutAfter(row.failures) - elapsedMs) };
    },
    record,
    clear: async (emailKey, options) => {
      await database.exec(sql`delete from user_failures where account = ${accountHash(emailKey)}`, options);
    },
  };
}

/** Deletes the failures that no longer count. */
export function deleteExpiredFailures(database: Database, options: OperationOptions): Promise<number> {
  const until = new Date(TimeInternals.timestamp() - retentionMs - 1);
  return deleteExpired(database, { table: "user_failures", column: "failed_at", until }, options);
}

// Users sometimes type their password into the address field, so the text itself is not stored.
const accountHash = (emailKey: string): string => createHash("sha256").update(emailKey).digest("base64url");
