import { channel } from "node:diagnostics_channel";
import { Configuration } from "../config/index.ts";
import { Command, type ContextOptions, isError, pendingMigrationsChannelName, Service } from "../core/index.ts";
import { Log } from "../log/index.ts";
import type { SeedService } from "./seed/seed.ts";
import type { RelatedTable } from "../table/index.ts";
import { type Database, migrationSettings } from "../database/index.ts";
import type { StepComparison } from "./compare.ts";
import type * as Inspection from "./inspection.ts";
import type { LintFinding } from "./lint/lint.ts";
import * as Runner from "./runner.ts";
import type { Drift } from "./schema/drift.ts";
import { errors } from "./errors.ts";
import type { MigrationRunOptions } from "./runner.ts";
import { isPending, type Migration, stepLabel, type StepStatus } from "./step.ts";

/** Options of the migration service. */
export interface MigrationOptions {
  readonly database: Database;
  /** Migrations of the application. They run after those of the services that depend on the database. */
  readonly migrations?: readonly Migration[];
  /** Reaction to pending steps at start. Default: `refuse` in production, `warn` elsewhere. */
  readonly onPending?: "refuse" | "warn" | "run";
  /** Returns the described tables, to compare the database with: `migrate diff`, and a warning of `doctor`. */
  readonly tables?: () => readonly RelatedTable[];
}

/** Service with tables of its own. */
export interface MigratedService extends Service.Service {
  /** Migrations of the tables. The migration service of the database that the service depends on finds them. */
  readonly migrations: readonly Migration[];
}

/** Migration service. */
export interface MigrationService extends Service.Service {
  /**
   * Runs all pending steps and returns their labels. Marks a new database with the environment of this process.
   *
   * The context selects the pool, such as the one of a tenant: `runAll({ ctx: [["pool", tenant]] })`. Inside a transaction,
   * the steps are part of it if the database can roll them back.
   *
   * @throws E_MIGRATION_CHANGED before any step runs, if an applied step was edited, moved, renamed or removed;
   * E_MIGRATION_EMPTY, E_MIGRATION_FAILED, E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED; E_DATABASE_ENVIRONMENT in
   * tests if the database belongs to another environment, or has tables and no mark; elsewhere if it belongs to tests.
   */
  runAll(options?: MigrationRunOptions): Promise<readonly string[]>;
  /** Returns the steps that are pending or half-done. */
  pending(options?: ContextOptions): Promise<readonly StepStatus[]>;
  /** Returns the status of each step. */
  status(options?: ContextOptions): Promise<readonly StepStatus[]>;
  /** Returns the dangerous statements of the pending steps. */
  lint(options?: ContextOptions): Promise<readonly LintFinding[]>;
  /** Returns the differences between the database and the tables of the option `tables`. */
  drift(options?: ContextOptions): Promise<readonly Drift[]>;
}

const log = Log.source("limmat.migration");

// The development server subscribes, to show a page that migrates.
const pendingChannel = channel(pendingMigrationsChannelName);

/**
 * Creates the service that migrates the schema of a database: commands `migrate`, `migrate status`, `migrate down`,
 * `migrate resolve`, `migrate fresh`, `migrate diff` and `migrate environment`, and a check at start.
 *
 * @example
 * export const migration = Migration.service({ database, migrations });
 */
export function migrationService(options: MigrationOptions): MigrationService {
  const { database, migrations: applicationMigrations = [], onPending, tables = () => [] } = options;
  let migrations = (): readonly Migration[] => collectMigrations(database, [], applicationMigrations);

  // A server compares no schemas, and runs no command.
  const inspection = (): Promise<typeof Inspection> => import("./inspection.ts");
  const runAll: MigrationService["runAll"] = async (runOptions) => Runner.migrateUp(database, migrations(), runOptions);
  const compare = async (callOptions?: ContextOptions): Promise<StepComparison> =>
    Runner.compareWithDatabase(database, migrations(), callOptions);
  const status: MigrationService["status"] = async (callOptions) => (await compare(callOptions)).statuses;
  const checkAtStart = async (): Promise<void> => {
    // The application opens its pools itself, and migrates each of them.
    if (!hasPool(database)) return;
    const environment = Configuration.environment();
    const refusal = await Runner.findRefusal(database);
    if (refusal !== undefined && environment === "test") throw refusal;
    if (refusal !== undefined) log.warning(refusal.message);
    const reaction = onPending ?? (environment === "production" ? "refuse" : "warn");
    if (reaction === "run") await runAll();
    const comparison = await compare();
    if (comparison.differences.length > 0) throw Runner.changedError(comparison);
    const pending = comparison.statuses.filter(isPending).map(stepLabel);
    if (pending.length > 0 && reaction === "refuse") throw errors.E_MIGRATION_PENDING(pending);
    for (const { level, message } of Runner.stepFindings(comparison)) if (level !== "ok") log.warning(message);
    if (pending.length > 0) {
      pendingChannel.publish(async () => (await status()).filter(isPending).map(stepLabel));
    }
  };

  return {
    ...Service.make({
      name: "migration",
      role: "migrations",
      dependencies: () => [database],
      configuration: migrationSettings.fields,
      commands: [migrateCommand(database, applicationMigrations, tables)],
      start: async ({ services }) => {
        const collected = collectMigrations(database, services, applicationMigrations);
        migrations = () => collected;
        await checkAtStart();
      },
      check: async ({ environment }) => {
        if (!hasPool(database)) return [];
        const findings = Runner.stepFindings(await compare()).map((finding): Service.Finding =>
          finding.level === "problem" && environment !== "production" ? { ...finding, level: "warning" } : finding,
        );
        const refusal = await Runner.findRefusal(database);
        const refusals = refusal === undefined ? [] : [{ level: "problem", message: refusal.message } as const];
        return [
          ...refusals,
          ...findings,
          ...(await (await inspection()).schemaFindings(database, migrations(), tables())),
        ];
      },
    }),
    runAll,
    pending: async (callOptions) => (await status(callOptions)).filter(isPending),
    status,
    lint: async (callOptions) => (await inspection()).lintPending(database, migrations(), tables(), callOptions),
    drift: async (callOptions) => (await inspection()).readDrift(database, tables(), callOptions),
  };
}

const hasMigrations = (service: Service.Service): service is MigratedService => "migrations" in service;

/** Returns the migrations of the services that depend on the database and of the application, sorted by dependency. */
function collectMigrations(
  database: Database,
  services: readonly Service.Service[],
  applicationMigrations: readonly Migration[],
): readonly Migration[] {
  const serviceMigrations = services
    .filter(hasMigrations)
    .filter((service) => service.dependencies().includes(database))
    .flatMap((service) => service.migrations);
  return sortMigrations([...serviceMigrations, ...applicationMigrations]);
}

/** Creates the command `migrate`. It starts only the database, so that it runs even if the application refuses to start. */
function migrateCommand(
  database: Database,
  applicationMigrations: readonly Migration[],
  tables: () => readonly RelatedTable[],
): Command.Command {
  return Command.make({
    name: "migrate",
    usage:
      "[--dry-run [--check]] [--json] | status [--json] [--check] | down [<count>] [--force] | " +
      "resolve <namespace> <step> --applied|--resume|--retry | resolve <namespace> --accept | fresh [<database>] [--seed] | " +
      "diff [--check] [--json] | diff --write <name> | environment [--set]",
    description: "Runs pending migrations, shows their status, or reverts the last ones",
    details: async () => (await import("./migrate-command.ts")).migrateDetails,
    dependencies: (args, services) =>
      args.includes("fresh") && args.includes("--seed") ? [database, ...seedServices(services, database)] : [database],
    run: async (args, { services, output, signal }) => {
      const migrations = collectMigrations(database, services, applicationMigrations);
      const seeds = seedServices(services, database);
      const { runMigrateCommand } = await import("./migrate-command.ts");
      return runMigrateCommand({ database, migrations, tables, seeds, output, signal }, args);
    },
  });
}

function seedServices(services: readonly Service.Service[], database: Database): readonly SeedService[] {
  return services.filter(
    (service): service is SeedService => service.role === "seeds" && service.dependencies().includes(database),
  );
}

/** Returns true if the database has a pool for calls that name none. */
function hasPool(database: Database): boolean {
  try {
    database.dialect();
    return true;
  } catch (error) {
    if (isError(error, "E_DATABASE_POOL_DEFAULT_MISSING")) return false;
    throw error;
  }
}

/**
 * Sorts migrations so that each comes after the namespaces in its `after`. Otherwise keeps the given order. Throws
 * E_MIGRATION_NAMESPACE_TAKEN, E_MIGRATION_NAMESPACE_UNKNOWN, E_MIGRATION_CYCLE.
 */
function sortMigrations(migrations: readonly Migration[]): readonly Migration[] {
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
      if (dependency === undefined) {
        const others = [...byNamespace.keys()].filter((name) => name !== namespace);
        throw errors.E_MIGRATION_NAMESPACE_UNKNOWN(dependencyName, namespace, others);
      }
      visit(dependency);
    }
    path.pop();
    sorted.add(migration);
  };

  byNamespace.values().forEach(visit);
  return [...sorted];
}
