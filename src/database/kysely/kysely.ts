import { createRequire } from "node:module";
import type { Dialect, DialectAdapter, Kysely, KyselyPlugin, QueryCompiler } from "kysely";
import { isPackageMissing } from "../../core/index.ts";
import type { DialectName } from "../contract.ts";
import type { Database } from "../database.ts";
import { errors } from "../errors.ts";
import { executorOf, type OperationOptions } from "../operations.ts";
import { joinedKyselyFactory, type KyselyLibrary } from "./joined-kysely.ts";
import { connectionProvider } from "./kysely-connection.ts";

/** Options of `kysely`. Context and timeout apply to each query. */
export interface KyselyOptions extends Omit<OperationOptions, "signal"> {
  /** SQL dialect of the database. Required for third-party drivers only. */
  readonly dialect?: DialectName;
  readonly plugins?: readonly KyselyPlugin[];
}

/**
 * Creates a typed query builder (package `kysely`) for a database service.
 *
 * Its queries use the same pools, join the current transaction, return the same values and throw the same errors as the
 * operations of the service. `transaction().execute(…)` calls `database.transaction(…)`: operations inside it join the
 * transaction, and a nested transaction is a savepoint. `destroy` has no effect, because the service owns the pools.
 * The instance may be created before the service starts.
 *
 * @throws E_DATABASE_DRIVER_MISSING, E_KYSELY_DIALECT
 *
 * @example
 * interface Tables {
 *   todos: { id: string; title: string; done: boolean };
 * }
 * const db = kysely<Tables>(database);
 * const open = await db.selectFrom("todos").select(["id", "title"]).where("done", "=", false).execute();
 */
export function kysely<DB>(database: Database, options: KyselyOptions = {}): Kysely<DB> {
  const { dialect: name = dialectNameOf(database), plugins = [], ...operationOptions } = options;
  const library = loadKysely();
  const dialect = kyselyDialect(name, library);
  const executor = new library.DefaultQueryExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    connectionProvider(executorOf(database), operationOptions),
    [...plugins],
  );
  const props = { config: { dialect }, driver: dialect.createDriver(), executor, dialect };
  return joinedKyselyFactory(library)<DB>({ source: database, options: operationOptions, props });
}

/** Loads the package `kysely` synchronously, because instances are created at module level. */
function loadKysely(): KyselyLibrary {
  try {
    return createRequire(import.meta.url)("kysely") as KyselyLibrary;
  } catch (cause) {
    if (!isPackageMissing(cause, "kysely")) throw cause;
    throw errors.E_DATABASE_DRIVER_MISSING("kysely", "0.29").causedBy(cause);
  }
}

const dialectNames: readonly string[] = ["sqlite", "postgresql", "mariadb"] satisfies DialectName[];

function dialectNameOf({ implementation }: Database): DialectName {
  if (!dialectNames.includes(implementation)) throw errors.E_KYSELY_DIALECT(implementation);
  return implementation as DialectName;
}

/** Returns the Kysely dialect of a database. Its driver is a dummy: the service owns connections and transactions. */
function kyselyDialect(name: DialectName, library: KyselyLibrary): Dialect {
  const { MysqlIntrospector, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } = library;
  const { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, DummyDriver } = library;
  const classes = {
    postgresql: [PostgresQueryCompiler, PostgresAdapter, PostgresIntrospector],
    mariadb: [mariadbCompiler(library), mariadbAdapter(library), MysqlIntrospector],
    sqlite: [SqliteQueryCompiler, SqliteAdapter, SqliteIntrospector],
  } as const;
  const [Compiler, Adapter, Introspector] = classes[name];
  return {
    createDriver: () => new DummyDriver(),
    createQueryCompiler: () => new Compiler(),
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new Introspector(db),
  };
}

/** Returns the adapter of MariaDB, which supports `returning`. */
function mariadbAdapter({ MysqlAdapter }: KyselyLibrary): new () => DialectAdapter {
  return class extends MysqlAdapter {
    override get supportsReturning(): boolean {
      return true;
    }
  };
}

/** Returns the query compiler of MariaDB. Sessions use NO_BACKSLASH_ESCAPES, so only quotes are escaped. */
function mariadbCompiler({ MysqlQueryCompiler }: KyselyLibrary): new () => QueryCompiler {
  return class extends MysqlQueryCompiler {
    protected override sanitizeStringLiteral(value: string): string {
      return value.replaceAll("'", "''");
    }
    protected override sanitizeJSONPathMemberValue(value: string): string {
      return value.replace(/[\\"]/g, String.raw`\$&`).replaceAll("'", "''");
    }
  };
}
