import { errors } from "./errors.ts";
import type { Migration } from "./step.ts";

/**
 * The migrations, each after those that it names, otherwise in the order given.
 *
 * @throws E_MIGRATION_NAMESPACE_TAKEN, E_MIGRATION_NAMESPACE_UNKNOWN, E_MIGRATION_CYCLE
 */
export function inOrder(migrations: readonly Migration[]): readonly Migration[] {
  const byName = new Map<string, Migration>();
  for (const migration of new Set(migrations)) {
    if (byName.has(migration.namespace)) throw errors.E_MIGRATION_NAMESPACE_TAKEN(migration.namespace);
    byName.set(migration.namespace, migration);
  }
  const ordered = new Set<Migration>();
  const path: string[] = [];

  const visit = (migration: Migration): void => {
    if (ordered.has(migration)) return;
    const { namespace } = migration;
    if (path.includes(namespace)) throw errors.E_MIGRATION_CYCLE([...path.slice(path.indexOf(namespace)), namespace]);
    path.push(namespace);
    for (const name of migration.after) {
      const earlier = byName.get(name);
      if (earlier === undefined) throw errors.E_MIGRATION_NAMESPACE_UNKNOWN(name, namespace);
      visit(earlier);
    }
    path.pop();
    ordered.add(migration);
  };

  byName.values().forEach(visit);
  return [...ordered];
}
