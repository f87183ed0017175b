import type { Dialect, DialectAdapter, QueryCompiler } from "kysely";
import type { DialectName } from "../contract.ts";
import type { KyselyLibrary } from "./library.ts";

/** Returns the Kysely dialect of a database. Its driver is a dummy: the service owns connections and transactions. */
export function kyselyDialect(name: DialectName, library: KyselyLibrary): Dialect {
  const { PostgresIntrospector, MysqlIntrospector, SqliteIntrospector, DummyDriver } = library;
  const { PostgresAdapter, PostgresQueryCompiler, SqliteAdapter, SqliteQueryCompiler } = library;
  const createDriver = (): InstanceType<KyselyLibrary["DummyDriver"]> => new DummyDriver();
  const dialects: Readonly<Record<DialectName, Dialect>> = {
    postgresql: {
      createDriver,
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    mariadb: {
      createDriver,
      createQueryCompiler: () => mariadbCompiler(library),
      createAdapter: () => mariadbAdapter(library),
      createIntrospector: (db) => new MysqlIntrospector(db),
    },
    sqlite: {
      createDriver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  };
  return dialects[name];
}

/** Creates the adapter of MariaDB, which supports `returning`. */
function mariadbAdapter({ MysqlAdapter }: KyselyLibrary): DialectAdapter {
  class MariadbAdapter extends MysqlAdapter {
    override get supportsReturning(): boolean {
      return true;
    }
  }
  return new MariadbAdapter();
}

/** Creates the query compiler of MariaDB. Sessions use NO_BACKSLASH_ESCAPES, so only quotes are escaped. */
function mariadbCompiler({ MysqlQueryCompiler }: KyselyLibrary): QueryCompiler {
  class MariadbQueryCompiler extends MysqlQueryCompiler {
    protected override sanitizeStringLiteral(value: string): string {
      return value.replaceAll("'", "''");
    }
    protected override sanitizeJSONPathMemberValue(value: string): string {
      return value.replace(/[\\"]/g, String.raw`\$&`).replaceAll("'", "''");
    }
  }
  return new MariadbQueryCompiler();
}
