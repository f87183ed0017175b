import { Configuration } from "../../config/index.ts";
import { Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type { Database } from "../database.ts";
import { command } from "./command.ts";
import { errors } from "./errors.ts";
import { inOrder } from "./order.ts";
import type { RunOptions } from "./runner.ts";
import { settings } from "./settings.ts";
import { label, type StepStatus } from "./status.ts";
import type { Migration } from "./step.ts";

/** What the migration service is made with. */
export interface MigrationOptions {
  readonly database: Database;
  /** The application's own. Those of the services that depend on the database are added, before them. */
  readonly migrations?: readonly Migration[];
  /** What happens at start when steps are pending. Default: `refuse` in production, elsewhere `warn`. */
  readonly onPending?: "refuse" | "warn" | "run";
}

/** The migration service. */
export interface MigrationService extends Service.Service {
  /** Runs all pending steps and gives their names. Throws E_MIGRATION_FAILED, E_MIGRATION_HALF_DONE, E_MIGRATION_LOCKED. */
  runAll(options?: RunOptions): Promise<readonly string[]>;
  /** The steps that are to be run, or are half-done. */
  pending(): Promise<readonly StepStatus[]>;
  /** Where each step stands. */
  status(): Promise<readonly StepStatus[]>;
}

const log = Log.source("limmat.migration");

/** The migrations of an application: its own and those of its services that depend on the database, in order. */
export function collect(
  database: Database,
  services: readonly Service.Service[],
  own: readonly Migration[],
): readonly Migration[] {
  const ofServices = services
    .filter((service) => "migrations" in service && service.dependencies().includes(database))
    .flatMap((service) => (service as unknown as { readonly migrations: readonly Migration[] }).migrations);
  return inOrder([...ofServices, ...own]);
}

/**
 * Makes the service that keeps the tables of a database up to date: commands `migrate`, `migrate status`,
 * `migrate down`, `migrate resolve`, and a check at start.
 *
 * @example
 * export const migration = Migration.service({ database, migrations });
 */
export function migrationService(options: MigrationOptions): MigrationService {
  const { database, migrations: own = [], onPending } = options;
  let migrations = (): readonly Migration[] => collect(database, [], own);

  // What runs steps and reads where they stand is loaded here: most starts never need it (docs/decisions/008).
  const runAll: MigrationService["runAll"] = async (run) => {
    const { up } = await import("./runner.ts");
    return up(database, migrations(), run);
  };
  const stepsOf = async (): Promise<readonly StepStatus[]> => {
    const { status } = await import("./runner.ts");
    return status(database, migrations());
  };

  const checkAtStart = async (): Promise<void> => {
    const reaction = onPending ?? (Configuration.environment() === "production" ? "refuse" : "warn");
    if (reaction === "run") await runAll();
    const steps = await stepsOf();
    for (const { level, message } of findingsOf(steps)) {
      if (level === "problem" && reaction === "refuse") {
        throw errors.E_MIGRATION_PENDING(steps.filter(isPending).map(label));
      }
      if (level !== "ok") log.warning(message);
    }
  };

  return {
    ...Service.make({
      name: "migration",
      dependencies: () => [database],
      configuration: settings.fields,
      commands: [command(database, (services) => collect(database, services, own))],
      start: async ({ services }) => {
        const collected = collect(database, services, own);
        migrations = () => collected;
        await checkAtStart();
      },
      check: async ({ environment }) => {
        const found = findingsOf(await stepsOf());
        return found.map((finding) =>
          finding.level === "problem" && environment !== "production" ? { ...finding, level: "warning" } : finding,
        );
      },
    }),
    runAll,
    pending: async () => (await stepsOf()).filter(isPending),
    status: stepsOf,
  };
}

const isPending = ({ state }: StepStatus): boolean => state === "pending" || state === "half-done";

/** What is to be said of the steps: what is pending is a problem, what is not as it was applied a warning. */
function findingsOf(steps: readonly StepStatus[]): readonly Service.Finding[] {
  const found: Service.Finding[] = [];
  for (const step of steps) {
    const { state } = step;
    if (state === "changed")
      found.push({ level: "warning", message: `The migration step ${label(step)} was changed after it was applied` });
    if (state === "unknown")
      found.push({ level: "warning", message: `The database has a migration step unknown here: ${label(step)}` });
  }
  const pending = steps.filter(isPending).map(label);
  if (pending.length > 0) found.push({ level: "problem", message: errors.E_MIGRATION_PENDING(pending).message });
  return found.length > 0 ? found : [{ level: "ok", message: `All migration steps (${steps.length}) are applied` }];
}
