import type { Kysely, KyselyPlugin } from "kysely";
import type { DialectName } from "../contract.ts";
import type { Database } from "../database.ts";
import { executorOf } from "../operations.ts";
import type { Options } from "../options.ts";
import { provider } from "./connection.ts";
import { dialectOf } from "./dialect.ts";
import { errors } from "./errors.ts";
import { joining } from "./joined.ts";
import { loadLibrary } from "./library.ts";

/** What `kysely` can be given, besides the context and time-out that each of its queries has then. */
export interface KyselyOptions extends Omit<Options, "signal"> {
  /** The SQL that the database speaks; needed only for drivers of other authors. */
  readonly dialect?: DialectName;
  readonly plugins?: readonly KyselyPlugin[];
}

/**
 * A typed query builder, the package `kysely`, on a database service: its queries use the same pools, are part of the
 * transaction around, give the same values and throw the same errors as the service's own operations.
 *
 * `transaction().execute(…)` is `database.transaction(…)`: what is called inside, in whatever module, joins, and one inside
 * another is a savepoint. `destroy` does nothing: the pools are the service's. It may be made before the service is
 * started.
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
  const { dialect: name = nameOf(database), plugins = [], ...called } = options;
  const library = loadLibrary();
  const dialect = dialectOf(name, library);
  const executor = new library.DefaultQueryExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    provider(executorOf(database), called),
    [...plugins],
  );
  const props = { config: { dialect }, driver: dialect.createDriver(), executor, dialect };
  return joining(library)<DB>({ source: database, options: called, props });
}

const names: readonly string[] = ["sqlite", "postgresql", "mariadb"] satisfies DialectName[];

function nameOf({ implementation }: Database): DialectName {
  if (!names.includes(implementation)) throw errors.E_KYSELY_DIALECT(implementation);
  return implementation as DialectName;
}
