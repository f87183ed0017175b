import { Configuration } from "../../config/index.ts";
import { Command, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type * as Runner from "./runner.ts";
import type { Database } from "../database.ts";
import { errors } from "./errors.ts";
import type { MigrationRunOptions } from "./runner.ts";
import { migrationSettings } from "./settings.ts";
import { stepLabel, type StepStatus } from "./status.ts";
import type { Migration } from "./step.ts";

/** Options of the migration service. */
export interface MigrationOptions {
  readonly database: Database;
  /** Migrations of the application. They run after those of the services that depend on the database. */
  readonly migrations?: readonly Migration[];
  /** Reaction to pending steps at start. Default: `refuse` in production, `warn` elsewhere. */
  readonly onPending?: "refuse" | "warn" | "run";
}

/** Migration service. */
export interface MigrationService extends Service.Service {
  /**
   * Runs all pending steps and returns their labels.
   *
   * @throws E_MIGRATION_EMPTY, E_MIGRATION_FAILED, E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED
   */
  runAll(options?: MigrationRunOptions): Promise<readonly string[]>;
  /** Returns the steps that are pending or half-done. */
  pending(): Promise<readonly StepStatus[]>;
  /** Returns the status of each step. */
  status(): Promise<readonly StepStatus[]>;
}

const log = Log.source("limmat.migration");

/**
 * Creates the service that migrates the schema of a database: commands `migrate`, `migrate status`, `migrate down` and
 * `migrate resolve`, and a check at start.
 *
 * @example
 * export const migration = Migration.service({ database, migrations });
 */
export function migrationService(options: MigrationOptions): MigrationService {
  const { database, migrations: applicationMigrations = [], onPending } = options;
  let migrations = (): readonly Migration[] => collectMigrations(database, [], applicationMigrations);

  // Imported on demand, as few commands need it (docs/decisions/017).
  const runner = (): Promise<typeof Runner> => import("./runner.ts");
  const runAll: MigrationService["runAll"] = async (runOptions) =>
    (await runner()).migrateUp(database, migrations(), runOptions);
  const status = async (): Promise<readonly StepStatus[]> => (await runner()).migrationStatus(database, migrations());

  const checkAtStart = async (): Promise<void> => {
    const reaction = onPending ?? (Configuration.environment() === "production" ? "refuse" : "warn");
    if (reaction === "run") await runAll();
    const steps = await status();
    for (const { level, message } of findingsOf(steps)) {
      if (level === "problem" && reaction === "refuse") {
        throw errors.E_MIGRATION_PENDING(steps.filter(isPending).map(stepLabel));
      }
      if (level !== "ok") log.warning(message);
    }
  };

  return {
    ...Service.make({
      name: "migration",
      dependencies: () => [database],
      configuration: migrationSettings.fields,
      commands: [migrateCommand(database, applicationMigrations)],
      start: async ({ services }) => {
        const collected = collectMigrations(database, services, applicationMigrations);
        migrations = () => collected;
        await checkAtStart();
      },
      check: async ({ environment }) => {
        const findings = findingsOf(await status());
        return findings.map((finding) =>
          finding.level === "problem" && environment !== "production" ? { ...finding, level: "warning" } : finding,
        );
      },
    }),
    runAll,
    pending: async () => (await status()).filter(isPending),
    status,
  };
}

/** Returns the migrations of the services that depend on the database and of the application, sorted by dependency. */
function collectMigrations(
  database: Database,
  services: readonly Service.Service[],
  applicationMigrations: readonly Migration[],
): readonly Migration[] {
  const serviceMigrations = services
    .filter((service) => "migrations" in service && service.dependencies().includes(database))
    .flatMap((service) => (service as unknown as { readonly migrations: readonly Migration[] }).migrations);
  return sortMigrations([...serviceMigrations, ...applicationMigrations]);
}

/** Creates the command `migrate`. It starts only the database, so that it runs even if the application refuses to start. */
function migrateCommand(database: Database, applicationMigrations: readonly Migration[]): Command.Command {
  return Command.make({
    name: "migrate",
    usage:
      "[--dry-run] [--json] | status [--json] | down [<count>] [--force] | resolve <namespace> <number> --applied|--retry",
    description: "Runs pending migrations, shows their status, or reverts the last ones",
    dependencies: () => [database],
    run: async (args, { services, output }) => {
      const { runMigrateCommand } = await import("./migrate-command.ts");
      return runMigrateCommand(database, collectMigrations(database, services, applicationMigrations), args, output);
    },
  });
}

const isPending = ({ state }: StepStatus): boolean => state === "pending" || state === "half-done";

/** Returns the findings of a check: pending steps are a problem, changed or unknown steps a warning. */
function findingsOf(steps: readonly StepStatus[]): readonly Service.Finding[] {
  const findings: Service.Finding[] = [];
  for (const step of steps) {
    if (step.state === "changed") {
      findings.push({
        level: "warning",
        message: `The migration step ${stepLabel(step)} was changed after it was applied`,
      });
    }
    if (step.state === "unknown") {
      findings.push({
        level: "warning",
        message: `The database has a migration step that this application does not define: ${stepLabel(step)}`,
      });
    }
  }
  const pending = steps.filter(isPending).map(stepLabel);
  if (pending.length > 0) findings.push({ level: "problem", message: errors.E_MIGRATION_PENDING(pending).message });
  if (findings.length > 0) return findings;
  return [{ level: "ok", message: `All migration steps (${steps.length}) are applied` }];
}

/**
 * Sorts migrations so that each comes after the namespaces in its `after`. Otherwise keeps the given order.
 *
 * @throws E_MIGRATION_NAMESPACE_TAKEN, E_MIGRATION_NAMESPACE_UNKNOWN, E_MIGRATION_CYCLE
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
      if (dependency === undefined) throw errors.E_MIGRATION_NAMESPACE_UNKNOWN(dependencyName, namespace);
      visit(dependency);
    }
    path.pop();
    sorted.add(migration);
  };

  byNamespace.values().forEach(visit);
  return [...sorted];
}
