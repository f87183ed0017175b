import { DatabaseSync } from "node:sqlite";
import type { Driver } from "../contract.ts";
import { clash, classify } from "./classify.ts";
import { type Shared, SqliteConnection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { locate } from "./location.ts";

/** How SQLite is used. */
export interface SqliteSettings {
  /** How long to wait for a lock that another process holds, in milliseconds. */
  readonly lockTimeout: number;
  /** Whether a commit waits until the disk has it: `full` survives a power cut, `normal` the end of the process. */
  readonly synchronous: "full" | "normal";
}

/** Access to one file: one connection that writes, one that answers single reads, and some for longer reads. */
export function driver(url: string, { lockTimeout, synchronous }: SqliteSettings): Driver {
  const location = locate(url);
  const shared: Shared = { schema: 0 };
  const sync = location.isTemporary ? "off" : synchronous;
  return {
    dialect,
    where: location.isTemporary ? "a database in memory" : location.path,
    lanes: (size) => ({ write: 1, shared: 1, read: Math.max(1, size - 2) }),
    connect: async (lane) => {
      const database = new DatabaseSync(location.path, { timeout: lockTimeout, enableForeignKeyConstraints: true });
      try {
        database.exec(`pragma journal_mode = wal; pragma synchronous = ${sync}; pragma temp_store = memory`);
        // The writer waits for locks without blocking the process; readers never wait for more than a moment.
        if (lane === "write") database.exec("pragma busy_timeout = 0");
        else database.exec("pragma query_only = on");
      } catch (error) {
        database.close();
        throw error;
      }
      return new SqliteConnection(database, shared, lockTimeout);
    },
    classify,
    clash,
    close: location.remove,
  };
}
