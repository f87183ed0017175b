import type { Dialect, DialectAdapter, QueryCompiler } from "kysely";
import type { DialectName } from "../contract.ts";
import type { Library } from "./library.ts";

/** How Kysely writes for each database. Connections and transactions are not its own. */
export function dialectOf(name: DialectName, library: Library): Dialect {
  const { PostgresIntrospector, MysqlIntrospector, SqliteIntrospector, DummyDriver } = library;
  const { PostgresAdapter, PostgresQueryCompiler, SqliteAdapter, SqliteQueryCompiler } = library;
  const createDriver = (): InstanceType<Library["DummyDriver"]> => new DummyDriver();
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

/** MariaDB gives back what it inserted or deleted. */
function mariadbAdapter({ MysqlAdapter }: Library): DialectAdapter {
  class MariadbAdapter extends MysqlAdapter {
    override get supportsReturning(): boolean {
      return true;
    }
  }
  return new MariadbAdapter();
}

/** In the mode in which our connections speak, a backslash in a text is a sign like others. */
function mariadbCompiler({ MysqlQueryCompiler }: Library): QueryCompiler {
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
