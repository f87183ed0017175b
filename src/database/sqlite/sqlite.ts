import { DatabaseSync } from "node:sqlite";
import type { Dialect, Driver } from "../contract.ts";
import { type Database, makeDatabase } from "../database.ts";
import { formatTimestamp } from "../row/timestamp.ts";
import { type DatabaseDefinition, type DatabaseOptions, databaseSettings } from "../settings.ts";
import { backupCommand } from "./backup-command.ts";
import { classify, uniqueViolation } from "./classify.ts";
import { type SharedState, SqliteConnection } from "./connection.ts";
import { addDecimalFunctions } from "./decimal-functions.ts";
import { parseSqliteUrl } from "./location.ts";

/** Options of `sqlite`. */
export interface SqliteOptions extends DatabaseOptions {
  /** `full` (default): commits survive a power failure. `normal`: a process crash only, but it is faster. */
  readonly synchronous?: "full" | "normal";
}

/**
 * Creates a database service for SQLite, which is built into Node.
 *
 * `DATABASE_URL` is a path, `sqlite:path`, a `file:` URL or `:memory:`. Default: `database/<environment>.sqlite` under
 * the project's root, in tests an in-memory database. Writes are serialized within the process and between processes.
 * Reads outside transactions never wait for writes (WAL). The command `database.backup` copies the database while it is in use.
 *
 * @example
 * export const database = sqlite();
 */
export function sqlite(options: SqliteOptions = {}): Database {
  const definition: DatabaseDefinition = {
    implementation: "sqlite",
    exampleUrl: "database/app.sqlite",
    defaultUrl: (environment) => (environment === "test" ? ":memory:" : `database/${environment}.sqlite`),
    createDriver: (url) => sqliteDriver(url, options),
  };
  const database = makeDatabase(definition, options);
  const readUrl = (): string | undefined => databaseSettings(definition, options).read().url;
  return { ...database, commands: [backupCommand(database.name, readUrl)] };
}

/** Creates the driver of one file: one connection for writes, one for single reads, the others for longer reads. */
export function sqliteDriver(url: string, options: SqliteOptions): Driver {
  const { lockTimeoutMs = 5000, synchronous = "full" } = options;
  const location = parseSqliteUrl(url);
  const sharedState: SharedState = { schemaVersion: 0 };
  const synchronousMode = location.isTemporary ? "off" : synchronous;
  return {
    dialect: sqliteDialect,
    location: location.isTemporary ? "a database in memory" : location.path,
    poolSizes: (size) => ({ write: 1, single: 1, read: Math.max(1, size - 2) }),
    canPipeline: false,
    canPipelineWrites: false,
    connect: async (kind) => {
      const database = new DatabaseSync(location.path, { timeout: lockTimeoutMs, enableForeignKeyConstraints: true });
      try {
        database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronousMode}; pragma temp_store = memory`);
        addDecimalFunctions(database);
        // The writer waits for locks asynchronously, so SQLite must not block. Readers wait for a short time at most.
        if (kind === "write") database.exec("pragma busy_timeout = 0");
        else database.exec("pragma query_only = on");
      } catch (error) {
        database.close();
        throw error;
      }
      const path = location.isTemporary ? undefined : location.path;
      return new SqliteConnection({ database, sharedState, lockTimeoutMs, path });
    },
    classify,
    isOutcomeUnknown: () => false,
    uniqueViolation,
    foreignKeyViolation: () => undefined,
    close: location.remove,
  };
}

/** SQL syntax and value encoding of SQLite. */
const sqliteDialect: Dialect = Object.freeze({
  name: "sqlite",
  placeholder: () => "?",
  identifierQuote: '"',
  maxParameters: 32_766,
  encodeBool: Number,
  encodeTimestamp: formatTimestamp,
  likeParts: ["", " like ", " escape '!'"],
  // The declared type determines the column affinity: a name that contains "text" keeps digits unchanged.
  columnTypes: {
    uuid: "uuid_text",
    text: "text",
    string: (length = 255) => `varchar(${length})`,
    bool: "boolean",
    int: "integer",
    float: "real",
    decimal: () => "decimal_text",
    bytes: "blob",
    timestamp: "timestamp_text",
    date: "date_text",
    json: "json_text",
  },
  hasTransactionalDdl: true,
  listTables:
    // Without the tables of full-text indexes, which triggers keep up to date.
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite!_%' escape '!' " +
    "and name not like '%!_full!_text!_rows' escape '!' order by name",
} satisfies Dialect);
