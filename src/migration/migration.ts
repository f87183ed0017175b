import { declarationStack } from "../core/index.ts";
import { errors } from "./errors.ts";
import type { LintRule } from "./lint/rules.ts";
import type { BatchDefinition, Migration, Step, StepSql } from "./step.ts";

export { migrationService as service, type MigrationOptions, type MigrationService } from "./service.ts";
export type { LintFinding } from "./lint/lint.ts";
export type { LintRule } from "./lint/rules.ts";
export type { Drift } from "./schema/drift.ts";
export type {
  BatchContext,
  BatchDefinition,
  BatchKey,
  Migration,
  SqlText,
  Step,
  StepSql,
  StepState,
  StepStatus,
  TypedSql,
} from "./step.ts";

/** Options of `Migration.step`. */
export interface StepOptions {
  /** SQL that reverts the step, for `migrate down`. */
  readonly down?: StepSql;
  /**
   * False to run the statements one by one outside a transaction, such as `create index concurrently` on PostgreSQL. A step
   * that is interrupted between them is half-done. Default true.
   */
  readonly transaction?: boolean;
  /** Rules of the lint that do not apply to this step, because its lock or its loss is acceptable: `["drop-column"]`. */
  readonly allow?: readonly LintRule[];
  /**
   * Maximum time that a statement waits for a lock, in milliseconds. Default: the one of the database (5,000), and
   * unlimited for `concurrently`, which blocks no other statement while it waits. SQLite always uses the one of the database.
   */
  readonly lockTimeoutMs?: number;
}

/** Options of `Migration.batches`. */
export interface BatchOptions extends BatchDefinition, Omit<StepOptions, "transaction"> {}

/** Options of `Migration.make`. */
export interface MigrationMakeOptions {
  /** Namespaces whose steps must run before these. */
  readonly after?: readonly string[];
}

/**
 * Creates a step from SQL: a text for all databases, a function of the column types that behave the same on all, or one
 * of these per dialect.
 *
 * @throws E_MIGRATION_NAME
 */
export function step(name: string, up: StepSql, options: StepOptions = {}): Step {
  return makeStep(name, up, options, undefined);
}

/**
 * Creates a step that changes data in batches of rows, ordered by a unique key. Each batch and the position after it are
 * committed together, so that a step whose process was killed goes on where it stopped. Rows are locked for the time of one
 * batch.
 *
 * @throws E_MIGRATION_NAME
 *
 * @example
 * Migration.batches("fill the slugs", {
 *   table: "issues",
 *   run: ({ handle, range }) => handle.exec(sql`update issues set slug = lower(title) where ${range}`),
 * });
 */
export function batches(name: string, options: BatchOptions): Step {
  const { table, key = "id" } = options;
  // The text stands for the SQL in `migrate --dry-run`.
  return makeStep(name, `-- changes rows of "${table}" in batches by "${key}"`, options, options);
}

function makeStep(
  name: string,
  up: StepSql,
  { down, transaction = true, allow = [], lockTimeoutMs }: StepOptions,
  batchDefinition: BatchDefinition | undefined,
): Step {
  if (name.trim() === "" || name.length > 255) throw errors.E_MIGRATION_NAME(name);
  const isTransactional = transaction;
  const declaration = declarationStack();
  const definition = { name, up, down, isTransactional, batches: batchDefinition, allow: [...allow], lockTimeoutMs };
  return Object.freeze({ ...definition, ...(declaration && { declaration }) });
}

/**
 * Creates the migrations of one part of the application. New steps are added at the end. A step that a merge puts before an
 * applied one runs as well.
 *
 * @throws E_MIGRATION_NAME, E_MIGRATION_STEP_TAKEN
 *
 * @example
 * export const todos = Migration.make("todos", [
 *   Migration.step("create table todos", ({ uuid, string, bool, timestamp }) => `
 *     create table todos (
 *       id ${uuid} primary key,
 *       title ${string(200)} not null,
 *       done ${bool} not null,
 *       created_at ${timestamp} not null,
 *       updated_at ${timestamp} not null
 *     )`, { down: "drop table todos" }),
 * ]);
 */
function makeMigration(namespace: string, steps: readonly Step[], options: MigrationMakeOptions = {}): Migration {
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(namespace)) throw errors.E_MIGRATION_NAME(namespace);
  const names = new Set<string>();
  for (const { name } of steps) {
    if (names.has(name)) throw errors.E_MIGRATION_STEP_TAKEN(namespace, name);
    names.add(name);
  }
  return Object.freeze({ namespace, steps, after: options.after ?? [] });
}

export { makeMigration as make };
