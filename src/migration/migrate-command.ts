import { type Database, findEnvironment } from "../database/index.ts";
import type { RelatedTable } from "../table/index.ts";
import { Configuration } from "../config/index.ts";
import { Command, isError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import type { SeedService } from "./seed/seed.ts";
import { errors } from "./errors.ts";
import { migrateFresh } from "./fresh.ts";
import { compareTables, printPendingSql } from "./inspection.ts";
import {
  acceptSteps,
  changedError,
  compareWithDatabase,
  migrateDown,
  migrateUp,
  type MigrationRunOptions,
  type Resolution,
  resolveStep,
  setEnvironment,
} from "./runner.ts";
import { isPending, type Migration, stepLabel, type StepStatus } from "./step.ts";

/** Parts of the application that the command `migrate` uses. */
export interface MigrateContext {
  readonly database: Database;
  readonly migrations: readonly Migration[];
  readonly tables: () => readonly RelatedTable[];
  readonly seeds: readonly SeedService[];
  readonly output: Command.Output;
  readonly signal: AbortSignal;
}

/**
 * Runs a command with its flags, without their hyphens, and its other arguments. Returns `undefined` for wrong arguments.
 */
export type MigrateRun = (
  context: MigrateContext,
  flags: ReadonlySet<string>,
  operands: readonly string[],
) => Promise<Command.Done | undefined>;

/** Details of `migrate`. */
export const migrateDetails: string = `  status       lists all steps with their state
  down         reverts the last step, or the last <count> steps
  resolve      decides about a step that was interrupted half-way; with --accept about applied
               steps that were edited, moved, renamed or removed
  fresh        drops all tables, migrates, and with --seed seeds; only in development and test
  diff         prints the SQL that the described tables lack, or writes it to a migration
  environment  shows or sets the environment of the database

  --dry-run    prints the SQL of the pending steps
  --check      fails on a dangerous statement (--dry-run), on pending, half-done, changed or moved
               steps (status), or on a difference (diff)`;

const progressIntervalMs = 2000;

function progressOn(output: Command.Output): MigrationRunOptions {
  let shownMs = Time.monotonic();
  return {
    onStepEnd: (step, durationMs) => output.note(`  ${step} … ${Math.round(durationMs)} ms`),
    onNote: (note) => output.note(`  ${note}`),
    onProgress: (step, progress) => {
      if (Time.monotonic() - shownMs < progressIntervalMs) return;
      shownMs = Time.monotonic();
      output.note(`  ${step} … ${progressText(progress)}`);
    },
  };
}

/** Returns the progress of a step in batches: `40 % (4,000 of 10,000 rows)`. */
function progressText({ done, total }: NonNullable<StepStatus["progress"]>): string {
  const rows = (count: number): string => count.toLocaleString("en");
  if (total === undefined || total === 0) return `${rows(done)} rows`;
  // Rows may be inserted while the step runs, and the total may be an estimate.
  return `${Math.min(100, Math.floor((done / total) * 100))} % (${rows(done)} of ${rows(Math.max(done, total))} rows)`;
}

/** Drops all tables, migrates and seeds. On a terminal, asks for the name of the database if it is not given. */
const recreate: MigrateRun = async ({ database, migrations, seeds, output, signal }, flags, [name]) => {
  const mustSeed = flags.has("seed");
  if (mustSeed && seeds.length === 0) throw errors.E_MIGRATION_NO_SEED();
  const run = (givenName: string | undefined): Promise<readonly string[]> =>
    migrateFresh(database, migrations, givenName, { ...progressOn(output), signal });
  const applied = await run(name).catch(async (error: unknown) => {
    const canAsk = name === undefined && output.isTerminal && process.stdin.isTTY;
    if (!canAsk || !isError(error, "E_MIGRATION_FRESH_NAME")) throw error;
    return run(await askForName(error.message, signal));
  });
  output.print(`Dropped all tables. Applied ${countSteps(applied.length)}.`);
  if (!mustSeed) return Command.done;
  for (const seed of seeds) {
    for (const seedName of await seed.run()) output.print(`Seeded ${seedName}.`);
  }
  return Command.done;
};

async function askForName(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${question}\nName of the database: `, { signal })).trim();
  } finally {
    terminal.close();
  }
}

const runPendingSteps: MigrateRun = async (context, flags, operands) => {
  if (flags.has("dry-run")) return printPendingSql(context, flags, operands);
  if (flags.has("check")) return undefined;
  const { database, migrations, output, signal } = context;
  const isJson = flags.has("json");
  const progress = isJson ? { onNote: () => {} } : progressOn(output);
  const applied = await migrateUp(database, migrations, { ...progress, signal });
  if (isJson) {
    output.print(JSON.stringify({ applied }));
    return Command.done;
  }
  output.print(applied.length === 0 ? "Nothing to migrate." : `Applied ${countSteps(applied.length)}.`);
  return Command.done;
};

/** Prints the state of each step. With `--check`, throws E_MIGRATION_PENDING or E_MIGRATION_CHANGED. */
const printStatus: MigrateRun = async ({ database, migrations, output }, flags) => {
  const comparison = await compareWithDatabase(database, migrations);
  const { statuses: steps, differences } = comparison;
  const isJson = flags.has("json");
  if (isJson) output.print(JSON.stringify(steps));
  else if (steps.length === 0) output.print("There are no migrations.");
  for (const step of isJson ? [] : steps) {
    const appliedAt = step.applied_at === null ? "" : `  ${step.applied_at.toISOString()}`;
    const progress = step.progress === undefined ? "" : `  ${progressText(step.progress)}`;
    output.print(`${step.state.padEnd(10)} ${stepLabel(step)}${appliedAt}${progress}`);
  }
  if (flags.has("check") && differences.length > 0) throw changedError(comparison);
  const pending = steps.filter(isPending);
  if (flags.has("check") && pending.length > 0) throw errors.E_MIGRATION_PENDING(pending.map(stepLabel));
  return Command.done;
};

const revertSteps: MigrateRun = async ({ database, migrations, output }, flags, [count = "1"]) => {
  if (!/^[1-9]\d{0,3}$/.test(count)) return undefined;
  if (Configuration.environment() === "production" && !flags.has("force")) throw errors.E_MIGRATION_PRODUCTION();
  const reverted = await migrateDown(database, migrations, Number(count), progressOn(output));
  output.print(reverted.length === 0 ? "Nothing to revert." : `Reverted ${countSteps(reverted.length)}.`);
  return Command.done;
};

/** Decides about a half-done step, or with `--accept` about the applied steps of a namespace. */
const resolveDifferences: MigrateRun = async ({ database, migrations, output }, flags, [namespace, step]) => {
  const [flag = "", ...otherFlags] = flags;
  if (namespace === undefined || otherFlags.length > 0) return undefined;
  if (flag === "accept") {
    if (step !== undefined) return undefined;
    const accepted = await acceptSteps(database, migrations, namespace);
    for (const text of accepted) output.print(`Accepted: ${text}`);
    if (accepted.length === 0) output.print("No step differs.");
    return Command.done;
  }
  const resolution = resolutions.get(flag);
  if (step === undefined || resolution === undefined) return undefined;
  await resolveStep(database, migrations, { namespace, step }, resolution.kind);
  output.print(resolution.message);
  return Command.done;
};

const resolutions: ReadonlyMap<string, { readonly kind: Resolution; readonly message: string }> = new Map([
  ["applied", { kind: "applied", message: "Marked as applied." }],
  ["resume", { kind: "resume", message: "The next migrate goes on with the interrupted statement." }],
  ["retry", { kind: "retry", message: "Marked as pending: the next migrate runs it again." }],
]);

const showEnvironment: MigrateRun = async ({ database, output }, flags) => {
  if (flags.has("set")) await setEnvironment(database);
  const environment = await database.query(findEnvironment);
  if (environment === undefined) output.print("The database belongs to no environment: it was not migrated yet.");
  else output.print(`The database belongs to the environment "${environment}".`);
  return Command.done;
};

const countSteps = (count: number): string => (count === 1 ? "1 step" : `${count} steps`);

/** Command behind a word such as `status`. */
interface Subcommand {
  readonly flags: readonly string[];
  /** Maximum number of arguments that are no flags. Default 0. */
  readonly maxOperands?: number;
  readonly run: MigrateRun;
}

const subcommands: ReadonlyMap<string | undefined, Subcommand> = new Map<string | undefined, Subcommand>([
  [undefined, { flags: ["dry-run", "json", "check"], run: runPendingSteps }],
  ["status", { flags: ["json", "check"], run: printStatus }],
  ["down", { flags: ["force"], maxOperands: 1, run: revertSteps }],
  ["resolve", { flags: ["accept", "applied", "resume", "retry"], maxOperands: 2, run: resolveDifferences }],
  ["fresh", { flags: ["seed"], maxOperands: 1, run: recreate }],
  ["diff", { flags: ["write", "json", "check"], maxOperands: 1, run: compareTables }],
  ["environment", { flags: ["set"], run: showEnvironment }],
]);

/** Runs the command `migrate` with its arguments. Returns `undefined` for wrong arguments. */
export async function runMigrateCommand(
  context: MigrateContext,
  args: readonly string[],
): Promise<Command.Done | undefined> {
  const flags = new Set(args.filter(isFlag).map((flag) => flag.replace(/^--/, "")));
  const [name, ...operands] = args.filter((arg) => !isFlag(arg));
  const subcommand = subcommands.get(name);
  if (subcommand === undefined || operands.length > (subcommand.maxOperands ?? 0)) return undefined;
  return flags.isSubsetOf(new Set(subcommand.flags)) ? subcommand.run(context, flags, operands) : undefined;
}

const isFlag = (arg: string): boolean => arg.startsWith("-");
