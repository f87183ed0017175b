import type { ContextOptions, Service } from "../core/index.ts";
import type { Database } from "../database/index.ts";
import { describe, type RelatedTable, withJoinTables } from "../table/index.ts";
import { invalidIndexText } from "./apply.ts";
import { findInvalidIndexes } from "./concurrent-index.ts";
import { type LintFinding, lintSteps } from "./lint/lint.ts";
import { compareWithDatabase } from "./runner.ts";
import { type Drift, findDrift } from "./schema/drift.ts";
import { readLiveSchema } from "./schema/live-schema.ts";
import { migrationSource } from "./schema/migration-source.ts";
import { type NumberedStep, numberSteps } from "./status.ts";
import { type Migration, stepKey } from "./step.ts";

/** Returns the steps that were never started. */
export async function pendingSteps(
  database: Database,
  migrations: readonly Migration[],
  options: ContextOptions = {},
): Promise<readonly NumberedStep[]> {
  const { statuses } = await compareWithDatabase(database, migrations, options);
  const pending = new Set(statuses.filter(({ state }) => state === "pending").map(stepKey));
  return numberSteps(migrations).filter((numbered) => pending.has(stepKey(numbered)));
}

/** Returns the dangerous statements of the pending steps. */
export async function lintPending(
  database: Database,
  migrations: readonly Migration[],
  tables: readonly RelatedTable[],
  options: ContextOptions = {},
): Promise<readonly LintFinding[]> {
  const steps = await pendingSteps(database, migrations, options);
  if (steps.length === 0) return [];
  const live = await database.query(readLiveSchema, { ...options, readOnly: true });
  const described = withJoinTables(tables.map(describe));
  return lintSteps(steps, {
    dialect: database.dialect(options),
    existingTables: new Set(live.keys()),
    existingIndexes: new Map(
      [...live].map(([name, { indexes }]) => [
        name,
        indexes.filter(({ isComplete }) => isComplete).map(({ columns }) => columns),
      ]),
    ),
    describedColumns: new Set(
      described.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
    ),
  });
}

/** Returns the differences between the database and described tables. */
export async function readDrift(
  database: Database,
  tables: readonly RelatedTable[],
  options: ContextOptions = {},
): Promise<readonly Drift[]> {
  if (tables.length === 0) return [];
  const live = await database.query(readLiveSchema, { ...options, readOnly: true });
  return findDrift(tables.map(describe), live, database.dialect(options));
}

/** Returns the source of a migration that closes the differences, or `undefined` if there are none. */
export async function readMigrationSource(
  database: Database,
  tables: readonly RelatedTable[],
  name: string,
): Promise<string | undefined> {
  const live = await database.query(readLiveSchema, { readOnly: true });
  return migrationSource(name, tables.map(describe), live, database.dialect());
}

/** Returns the findings of `doctor`: dangerous pending steps, differences to the described tables, and invalid indexes. */
export async function schemaFindings(
  database: Database,
  migrations: readonly Migration[],
  tables: readonly RelatedTable[],
): Promise<readonly Service.Finding[]> {
  const warning = (message: string, advice?: string): Service.Finding => ({
    level: "warning",
    message,
    ...(advice === undefined ? {} : { advice }),
  });
  const findings = await lintPending(database, migrations, tables);
  const drift = await readDrift(database, tables);
  const invalid = await database.query(findInvalidIndexes);
  return [
    ...findings.map(({ step, rule, problem, advice }) => warning(`${step}: ${rule}: ${problem}`, advice)),
    ...drift.map(({ table, problem }) =>
      warning(`The table "${table}" differs from its description: ${problem}`, 'See "migrate diff".'),
    ),
    ...(invalid.length === 0 ? [] : [warning(invalidIndexText(invalid))]),
  ];
}
