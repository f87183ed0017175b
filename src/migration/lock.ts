import { Time } from "../time/index.ts";
import type { ContextOptions } from "../core/index.ts";
import { connectionOf, type Database, type Handle, Row, sql, stateTableName } from "../database/index.ts";
import { errors } from "./errors.ts";
import * as State from "./state.ts";

/** Options of the migration lock. */
export interface LockOptions extends ContextOptions {
  /** Maximum time to wait for another process that migrates, in milliseconds. Default 60,000. */
  readonly lockTimeoutMs?: number;
}

const lockRetryMs = 100;

/** Runs a callback on one connection while it holds the migration lock, so that no other process migrates. */
export function withMigrationLock<T>(
  database: Database,
  options: LockOptions,
  callback: (handle: Handle) => Promise<T>,
): Promise<T> {
  const { lockTimeoutMs = 60_000, ctx = [] } = options;
  const run = async (handle: Handle): Promise<T> => {
    const { connection } = connectionOf(handle);
    const lockName = `limmat ${stateTableName()}`;
    const deadlineMs = Time.monotonic() + lockTimeoutMs;
    while (!(await withTypedErrors(handle, () => connection.lock(lockName)))) {
      if (Time.monotonic() > deadlineMs) throw errors.E_MIGRATION_LOCKED(lockTimeoutMs);
      await Time.sleep(lockRetryMs);
    }
    try {
      await withTypedErrors(handle, () => State.createStateTable(handle));
      return await callback(handle);
    } finally {
      if (connection.state !== "closed") await withTypedErrors(handle, () => connection.unlock(lockName));
    }
  };
  return database.query(run, { ctx });
}

/** Translates errors of direct calls to the driver's connection. */
async function withTypedErrors<T>(handle: Handle, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw connectionOf(handle).pool.toDatabaseError(cause, "the lock and the state table of migrations");
  }
}

/**
 * Runs a callback while statements of this connection wait for locks at most `timeoutMs`; 0 disables the limit. SQLite keeps
 * the one of the database.
 */
export async function withLockTimeout<T>(
  handle: Handle,
  timeoutMs: number | undefined,
  callback: () => Promise<T>,
): Promise<T> {
  const { connection, pool } = connectionOf(handle);
  const { name } = pool.driver.dialect;
  if (timeoutMs === undefined || name === "sqlite") return callback();
  // Behind a connection pooler, a setting of the session would stay with a connection that others use.
  const isLocal = name === "postgresql" && connection.state === "transaction";
  const limitLocks = async (lockWait: string, innodbLockWait = lockWait): Promise<void> =>
    connection.script(
      name === "postgresql"
        ? `set ${isLocal ? "local" : "session"} lock_timeout = '${lockWait}'`
        : `set session lock_wait_timeout = ${lockWait}, session innodb_lock_wait_timeout = ${innodbLockWait}`,
    );
  const previous = await handle.find(sql.value(Row.text)`${sql.dialect(currentTimeouts)}`);
  const [lockWait = "", innodbLockWait] = previous.split(" ");
  // MariaDB counts in seconds. 0 means "do not wait" there.
  const seconds = timeoutMs === 0 ? 31_536_000 : Math.ceil(timeoutMs / 1000);
  await limitLocks(String(name === "postgresql" ? timeoutMs : seconds));
  if (isLocal) {
    const result = await callback();
    // The transaction may contain further steps. After an error, the rollback restores the limit.
    await limitLocks(lockWait);
    return result;
  }
  try {
    return await callback();
  } finally {
    if (connection.state !== "closed") await limitLocks(lockWait, innodbLockWait);
  }
}

const currentTimeouts = {
  sqlite: sql`select ''`,
  postgresql: sql`select current_setting('lock_timeout')`,
  mariadb: sql`select concat(@@lock_wait_timeout, ' ', @@innodb_lock_wait_timeout)`,
};
