import { errors } from "./errors.ts";
import type { Migration, Step, StepSql } from "./step.ts";

export { migrationService as service, type MigrationOptions, type MigrationService } from "./service.ts";
export type { Migration, SqlText, Step, StepSql, TypedSql } from "./step.ts";
export type { StepState, StepStatus } from "./status.ts";

/** Options of `Migration.step`. */
export interface StepOptions {
  /** SQL that reverts the step, for `migrate down`. */
  readonly down?: StepSql;
}

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
  if (name.trim() === "" || name.length > 255) throw errors.E_MIGRATION_NAME(name);
  return Object.freeze({ name, up, down: options.down });
}

/**
 * Creates the migrations of one part of the application. New steps must be added at the end.
 *
 * @throws E_MIGRATION_NAME
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
  return Object.freeze({ namespace, steps, after: options.after ?? [] });
}

export { makeMigration as make };
