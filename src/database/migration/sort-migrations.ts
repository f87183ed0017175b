import { errors } from "./errors.ts";
import type { Migration } from "./step.ts";

/**
 * Sorts migrations so that each comes after the namespaces in its `after`. Otherwise keeps the given order.
 *
 * @throws E_MIGRATION_NAMESPACE_TAKEN, E_MIGRATION_NAMESPACE_UNKNOWN, E_MIGRATION_CYCLE
 */
export function sortMigrations(migrations: readonly Migration[]): readonly Migration[] {
  const byNamespace = new Map<string, Migration>();
  for (const migration of new Set(migrations)) {
    if (byNamespace.has(migration.namespace)) throw errors.E_MIGRATION_NAMESPACE_TAKEN(migration.namespace);
    byNamespace.set(migration.namespace, migration);
  }
  const sorted = new Set<Migration>();
  const path: string[] = [];

  const visit = (migration: Migration): void => {
    if (sorted.has(migration)) return;
    const { namespace } = migration;
    if (path.includes(namespace)) throw errors.E_MIGRATION_CYCLE([...path.slice(path.indexOf(namespace)), namespace]);
    path.push(namespace);
    for (const dependencyName of migration.after) {
      const dependency = byNamespace.get(dependencyName);
      if (dependency === undefined) throw errors.E_MIGRATION_NAMESPACE_UNKNOWN(dependencyName, namespace);
      visit(dependency);
    }
    path.pop();
    sorted.add(migration);
  };

  byNamespace.values().forEach(visit);
  return [...sorted];
}
