import { type Command, isError, type Service } from "../../core/index.ts";
import type { SeedOptions } from "./seed.ts";

/** Seeds that the command `seed` runs. */
export interface SeedRun extends Pick<SeedOptions, "database" | "seeds"> {
  /** Names of the seeds to run, in order. */
  readonly seedNames: readonly string[];
}

/**
 * Runs seeds, and shows their progress.
 *
 * @throws E_MIGRATION_PENDING before any seed runs
 */
export async function runSeeds(
  { database, seeds, seedNames }: SeedRun,
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

/**
 * Verifies by `migrate status --check` that no migration of the database is pending.
 *
 * @throws E_MIGRATION_PENDING
 */
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

/** Progress bar of one seed. */
interface ProgressBar {
  readonly show: (done: number, total: number) => void;
  /** Clears the line of the bar. */
  readonly clear: () => void;
}

/** Creates a progress bar on the standard error. It draws nothing unless both output streams are terminals. */
function progressBar(name: string, output: Command.Output): ProgressBar {
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
