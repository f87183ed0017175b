import { Configuration } from "../../config/index.ts";
import { Command, type Context, type ContextOptions, isError, Service } from "../../core/index.ts";
import { errors } from "../errors.ts";

/** Argument of a seed function. */
export interface SeedContext {
  /** Context of the run, for the operations that the seed calls. It selects the pool. Empty by default. */
  readonly ctx: Context;
  /** Reports progress, which is shown as a bar on a terminal. */
  readonly progress: (done: number, total: number) => void;
  /** Aborted when the process receives a signal to end. */
  readonly signal: AbortSignal;
}

/**
 * Inserts initial data into the database. A second run must do no harm. A seed that must insert all of its rows or none
 * opens a transaction itself.
 */
export type SeedFunction = (context: SeedContext) => Promise<void> | void;

/** Options of the seed service. */
export interface SeedOptions {
  readonly database: Service.Service;
  /** Seeds by name, in the order in which they run. */
  readonly seeds: Readonly<Record<string, SeedFunction>>;
  /** Returns the services that the seeds use in addition to the database. */
  readonly dependencies?: () => readonly Service.Service[];
}

/** Seed service. */
export interface SeedService extends Service.Service {
  /**
   * Runs one seed, or all in order, and returns their names. The context is passed to the seeds.
   *
   * @throws E_SEED_UNKNOWN, E_SEED_PRODUCTION in production without `force`.
   */
  run(name?: string, options?: ContextOptions & { readonly force?: boolean }): Promise<readonly string[]>;
  /** Names of the seeds, in order. */
  readonly names: readonly string[];
}

/**
 * Creates the service that inserts initial data into a database: commands `seed`, `seed list`, `seed run <name>`.
 *
 * @example
 * export const seed = Seed.service({ database, seeds: { demo: async () => void (await Todo.insert(example)) } });
 */
function seedService({ database, seeds, dependencies = () => [] }: SeedOptions): SeedService {
  const names = Object.keys(seeds);

  const namesToRun = (name: string | undefined, force: boolean): readonly string[] => {
    if (Configuration.environment() === "production" && !force) throw errors.E_SEED_PRODUCTION();
    if (name !== undefined && !Object.hasOwn(seeds, name)) throw errors.E_SEED_UNKNOWN(name, names);
    return name === undefined ? names : [name];
  };

  const command = Command.make({
    name: "seed",
    usage: "[--force] | list | run <name> [--force]",
    description: "Inserts initial data into the database",
    dependencies: () => [service],
    run: async (args, context) => {
      const isForced = args.includes("--force");
      const [action, name, ...others] = args.filter((arg) => arg !== "--force");
      if (action === "list" && name === undefined) {
        for (const seedName of names) context.output.print(seedName);
        return Command.done;
      }
      const runsOneSeed = action === "run" && name !== undefined && others.length === 0;
      if (action !== undefined && !runsOneSeed) return undefined;
      await runSeeds({ database, seeds }, namesToRun(name, isForced), context);
      return Command.done;
    },
  });

  const service: SeedService = {
    ...Service.make({
      name: "seed",
      role: "seeds",
      dependencies: () => [database, ...dependencies()],
      commands: [command],
    }),
    names,
    run: async (name, { force = false, ctx = [] } = {}) => {
      const seedNames = namesToRun(name, force);
      const { signal } = new AbortController();
      for (const seedName of seedNames) await seeds[seedName]?.({ ctx, progress: () => {}, signal });
      return seedNames;
    },
  };
  return service;
}

/** Runs seeds, and shows their progress. Throws E_MIGRATION_PENDING before any seed runs. */
async function runSeeds(
  { database, seeds }: SeedOptions,
  seedNames: readonly string[],
  context: Command.CommandContext,
): Promise<void> {
  const { output, signal } = context;
  await assertMigrated(database, context);
  for (const seedName of seedNames) {
    const bar = progressBar(seedName, output);
    try {
      await seeds[seedName]?.({ ctx: [], progress: bar.show, signal });
    } finally {
      bar.clear();
    }
    output.print(`Seeded ${seedName}.`);
  }
}

/** Verifies by `migrate status --check` that no migration of the database is pending. Throws E_MIGRATION_PENDING. */
async function assertMigrated(database: Service.Service, context: Command.CommandContext): Promise<void> {
  const migrate = context.services
    .filter((service) => service.role === "migrations" && service.dependencies().includes(database))
    .flatMap(({ commands }) => commands)
    .find(({ name }) => name === "migrate");
  const output: Command.Output = { print: () => {}, note: () => {}, isTerminal: false };
  try {
    await migrate?.run(["status", "--check"], { ...context, output });
  } catch (error) {
    // Seeds can run after a step was changed, and without a default pool.
    if (isError(error, "E_MIGRATION_PENDING")) throw error;
  }
}

const barWidth = 30;

/** Creates a progress bar on the standard error. It draws nothing unless both output streams are terminals. */
function progressBar(name: string, output: Command.Output): { show: SeedContext["progress"]; clear: () => void } {
  if (!output.isTerminal || !process.stderr.isTTY) return { show: () => {}, clear: () => {} };
  let drawnLine = "";
  return {
    show: (done, total) => {
      const fraction = total <= 0 ? 1 : Math.min(1, Math.max(0, done / total));
      const filled = Math.round(fraction * barWidth);
      const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
      const line = `${name} ${bar} ${Math.round(fraction * 100)} %`;
      if (line === drawnLine) return;
      drawnLine = line;
      process.stderr.write(`\r${line}`);
    },
    clear: () => {
      if (drawnLine !== "") process.stderr.write(`\r${" ".repeat(drawnLine.length)}\r`);
    },
  };
}

export { seedService as service };
