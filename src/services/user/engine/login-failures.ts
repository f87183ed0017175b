import { createHash } from "node:crypto";
import { type Database, deleteExpired, type OperationOptions, Row, sql } from "../../../database/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";

const failuresBeforeLockout = 5;
const failuresOfSiteBeforeLockout = 20;
// NIST SP 800-63B-4 §3.2.2: at most 100 consecutive failures on an account.
const failuresOfAllNetworksBeforeLockout = 100;
const maxLockoutMs = Time.minutes(15);
const retentionMs = Time.days(1);

/** Scope in which the failures of an account are counted. A failure in one scope does not lock the others. */
export type FailureScope = `network ${string}` | `site ${string}` | "all networks" | `device ${string}` | "session";

const failureRow = Row.record({ scope: Row.text, failures: Row.int, failed_at: Row.timestamp });

/**
 * Returns the scopes of a network: itself, all networks, and for IPv6 its site, the first 48 bits (RFC 6177). One customer may
 * have a site of 65,536 networks: without a count of it, a single one locks the account for all networks.
 */
export function networkScopes(network: string): readonly FailureScope[] {
  const site = /^((?:[\da-f]{1,4}:){3})[\da-f]{1,4}::\/64$/.exec(network)?.[1];
  const scopes: readonly FailureScope[] = [`network ${hashText(network)}`, "all networks"];
  return site === undefined ? scopes : [...scopes, `site ${hashText(site)}`];
}

/** Returns how long a scope is locked after this many consecutive failures, in milliseconds. */
export function lockoutAfter(failures: number, scope: string): number {
  if (scope === ("all networks" satisfies FailureScope))
    return failures < failuresOfAllNetworksBeforeLockout ? 0 : maxLockoutMs;
  const excess = failures - (scope.startsWith("site ") ? failuresOfSiteBeforeLockout : failuresBeforeLockout);
  return excess < 0 ? 0 : Math.min(Time.minutes(2 ** excess), maxLockoutMs);
}

/** Failed password checks of one account in some scopes. */
interface FailureStatus {
  /** True if failures are stored. */
  readonly hasFailures: boolean;
  /** Longest remaining lockout, in milliseconds. */
  readonly lockoutMs: number;
}

/** Counter of failed password checks. It also counts for addresses without an account, so the count reveals none. */
export interface LoginFailures {
  /** Returns the failures and the remaining lockout of an account in some scopes. */
  getStatus(emailKey: string, scopes: readonly FailureScope[], options?: OperationOptions): Promise<FailureStatus>;
  record(emailKey: string, scopes: readonly FailureScope[], options?: OperationOptions): Promise<void>;
  clear(emailKey: string, scopes: readonly FailureScope[], options?: OperationOptions): Promise<void>;
  clearAll(emailKey: string, options?: OperationOptions): Promise<void>;
}

/** Creates a counter in the table `user_failures`, which all processes share. */
export function loginFailures(database: Database): LoginFailures {
  const record: LoginFailures["record"] = async (emailKey, scopes, options) => {
    const now = Time.now();
    const account = hashText(emailKey);
    const expiredBefore = new Date(now.getTime() - retentionMs);
    const count = sql`case when user_failures.failed_at < ${expiredBefore} then 1 else user_failures.failures + 1 end`;
    const rows = sql.join(scopes.map((scope) => sql`(${account}, ${scope}, 1, ${now})`));
    const upsert = sql`insert into user_failures (account, scope, failures, failed_at) values ${rows} ${sql.dialect({
      postgresql: sql`on conflict (account, scope) do update set failures = ${count}, failed_at = ${now}`,
      sqlite: sql`on conflict (account, scope) do update set failures = ${count}, failed_at = ${now}`,
      mariadb: sql`on duplicate key update failures = ${count}, failed_at = ${now}`,
    })}`;
    // Deleting expired rows and counting a failure can deadlock on each other's rows.
    await database.transaction(() => database.exec(upsert, options), { ...options, maxRetries: 5 });
  };

  return {
    getStatus: async (emailKey, scopes, options) => {
      const rows = await database.collect(
        sql.row(failureRow)`select scope, failures, failed_at from user_failures
          where account = ${hashText(emailKey)} and ${sql.in(sql`scope`, scopes)}`,
        options,
      );
      const lockouts = rows.map(({ scope, failures, failed_at }) => {
        // A time in the future comes from a wrong clock. The absolute value limits the lockout it causes.
        const elapsedMs = Math.abs(TimeInternals.timestamp() - failed_at.getTime());
        return lockoutAfter(failures, scope) - elapsedMs;
      });
      return { hasFailures: rows.length > 0, lockoutMs: Math.max(0, ...lockouts) };
    },
    record,
    clear: async (emailKey, scopes, options) => {
      const inScopes = sql.in(sql`scope`, scopes);
      await database.exec(
        sql`delete from user_failures where account = ${hashText(emailKey)} and ${inScopes}`,
        options,
      );
    },
    clearAll: async (emailKey, options) => {
      await database.exec(sql`delete from user_failures where account = ${hashText(emailKey)}`, options);
    },
  };
}

export function deleteExpiredFailures(database: Database, options: OperationOptions): Promise<number> {
  const until = new Date(TimeInternals.timestamp() - retentionMs - 1);
  return deleteExpired(database, { table: "user_failures", column: "failed_at", until }, options);
}

// Users sometimes type their password into the address field, so the text itself is not stored.
const hashText = (text: string): string => createHash("sha256").update(text).digest("base64url");
