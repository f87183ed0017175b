import type { ColumnTypes, Dialect, DialectName } from "../database/index.ts";
import { Migration } from "../migration/index.ts";
import { createStatements, type RelatedTable } from "../table/index.ts";

const identifierQuotes: Readonly<Record<DialectName, Dialect["identifierQuote"]>> = {
  sqlite: '"',
  postgresql: '"',
  mariadb: "`",
};

/**
 * Returns the migration that creates tables as they are described now. The namespace is the name of the first table.
 *
 * It is for the first days of an application. A change of a description changes the applied step, and stops the next
 * `migrate` with E_MIGRATION_CHANGED: create the database anew, or write a migration with `migrate diff --write`, and replace
 * this one by the text of its step (`migrate --dry-run`) before the first release.
 *
 * @throws E_TABLE for a relation that cannot be stored, when the migration runs
 * @example
 * Migration.service({ database, migrations: [Table.migration(tasks)], tables: () => [tasks] });
 */
export function migration(tables: RelatedTable | readonly RelatedTable[]): Migration.Migration {
  const list = [tables].flat();
  const names = list.map(({ name }) => name);
  const up = (name: DialectName) => (columnTypes: ColumnTypes) =>
    createStatements(list, { name, identifierQuote: identifierQuotes[name], columnTypes });
  const statements = { sqlite: up("sqlite"), postgresql: up("postgresql"), mariadb: up("mariadb") };
  return Migration.make(names[0] ?? "", [Migration.step(`create ${names.join(", ")}`, statements)]);
}
