import { errors } from "./errors.ts";
import type { Migration, Step, StepSql } from "./step.ts";

export { migrationService as service, type MigrationOptions, type MigrationService } from "./service.ts";
export type { Migration, SqlText, Step, StepSql, TypedSql } from "./step.ts";
export type { StepState, StepStatus } from "./status.ts";

/** What a step is given beside its SQL. */
export interface StepOptions {
  /** What takes the step back, for `migrate down`. */
  readonly down?: StepSql;
}

/** What a set of migrations is given beside its steps. */
export interface MakeOptions {
  /** The namespaces whose steps must be run before these. */
  readonly after?: readonly string[];
}

/**
 * Makes a step from SQL: a text for all databases, a function of the column types that behave the same on all, or one
 * of these per database.
 *
 * @throws E_MIGRATION_NAME
 */
export function step(name: string, up: StepSql, options: StepOptions = {}): Step {
  if (name.trim() === "" || name.length > 255) throw errors.E_MIGRATION_NAME(name);
  return Object.freeze({ name, up, down: options.down });
}

/**
 * Makes the migrations of one part of the application. Steps are only ever added at the end.
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
export function make(namespace: string, steps: readonly Step[], options: MakeOptions = {}): Migration {
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(namespace)) throw errors.E_MIGRATION_NAME(namespace);
  return Object.freeze({ namespace, steps, after: options.after ?? [] });
}
