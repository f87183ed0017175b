import { type Database, findEnvironment } from "../database/index.ts";
import type { RelatedTable } from "../table/index.ts";
import { Configuration } from "../config/index.ts";
import { Command, isError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import type { SeedService } from "./seed/seed.ts";
import type { StepComparison } from "./compare.ts";
import { errors as definitionErrors } from "./errors.ts";
import { errors } from "./run/errors.ts";
import { migrateFresh } from "./fresh.ts";
import { printDrift, printPendingSql, writeDiff } from "./inspect-command.ts";
import {
  acceptSteps,
  changedError,
  compareWithDatabase,
  migrateDown,
  migrateUp,
  type MigrationProgress,
  type Resolution,
  resolveStep,
  setEnvironment,
} from "./runner.ts";
import { isPending, stepLabel, type StepStatus } from "./status.ts";
import type { Migration } from "./step.ts";

/** Parts of the application that the command `migrate` uses. */
export interface MigrateContext {
  readonly database: Database;
  readonly migrations: readonly Migration[];
  readonly tables: () => readonly RelatedTable[];
  readonly seeds: readonly SeedService[];
  readonly output: Command.Output;
  readonly signal: AbortSignal;
}

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

/** Runs the command `migrate` with its arguments. Returns `undefined` for wrong arguments. */
export async function runMigrateCommand(
  context: MigrateContext,
  args: readonly string[],
): Promise<Command.Done | undefined> {
  const { database, migrations, output } = context;
  const flags = new Set(args.filter((arg) => arg.startsWith("--")));
  const [action, ...operands] = args.filter((arg) => !arg.startsWith("--"));
  const hasOnly = (...allowed: readonly string[]): boolean => [...flags].every((flag) => allowed.includes(flag));
  switch (action) {
    case undefined:
      if (!hasOnly("--dry-run", "--json", "--check") || (flags.has("--check") && !flags.has("--dry-run")))
        return undefined;
      return flags.has("--dry-run") ? printPendingSql(context, flags) : runPendingSteps(context, flags.has("--json"));
    case "status":
      if (operands.length > 0 || !hasOnly("--json", "--check")) return undefined;
      return printStatus(await compareWithDatabase(database, migrations), output, flags);
    case "down":
      if (!hasOnly("--force")) return undefined;
      return revertSteps(database, migrations, operands, flags.has("--force"), output);
    case "resolve":
      return flags.has("--accept")
        ? acceptChangedSteps(context, operands, flags)
        : resolveHalfDoneStep(context, operands, flags);
    case "fresh":
      if (operands.length > 1 || !hasOnly("--seed")) return undefined;
      return recreate(context, operands[0], flags.has("--seed"));
    case "diff":
      if (flags.has("--write")) {
        const [name, ...others] = operands;
        return name === undefined || others.length > 0 || flags.size > 1 ? undefined : writeDiff(context, name);
      }
      if (operands.length > 0 || !hasOnly("--json", "--check")) return undefined;
      return printDrift(context, flags);
    case "environment":
      if (operands.length > 0 || !hasOnly("--set")) return undefined;
      return showEnvironment(database, output, flags.has("--set"));
    default:
      return undefined;
  }
}

const progressIntervalMs = 2000;

function progressOn(output: Command.Output): MigrationProgress {
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
async function recreate(
  { database, migrations, seeds, output, signal }: MigrateContext,
  name: string | undefined,
  mustSeed: boolean,
): Promise<Command.Done> {
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
}

async function askForName(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${question}\nName of the database: `, { signal })).trim();
  } finally {
    terminal.close();
  }
}

async function runPendingSteps(
  { database, migrations, output, signal }: MigrateContext,
  isJson: boolean,
): Promise<Command.Done> {
  const progress = isJson ? { onNote: () => {} } : progressOn(output);
  const applied = await migrateUp(database, migrations, { ...progress, signal });
  if (isJson) {
    output.print(JSON.stringify({ applied }));
    return Command.done;
  }
  output.print(applied.length === 0 ? "Nothing to migrate." : `Applied ${countSteps(applied.length)}.`);
  return Command.done;
}

/** Prints the state of each step. With `--check`, throws E_MIGRATION_PENDING or E_MIGRATION_CHANGED. */
function printStatus(comparison: StepComparison, output: Command.Output, flags: ReadonlySet<string>): Command.Done {
  const { statuses: steps, differences } = comparison;
  const isJson = flags.has("--json");
  if (isJson) output.print(JSON.stringify(steps));
  else if (steps.length === 0) output.print("There are no migrations.");
  for (const step of isJson ? [] : steps) {
    const appliedAt = step.applied_at === null ? "" : `  ${step.applied_at.toISOString()}`;
    const progress = step.progress === undefined ? "" : `  ${progressText(step.progress)}`;
    output.print(`${step.state.padEnd(10)} ${stepLabel(step)}${appliedAt}${progress}`);
  }
  if (flags.has("--check") && differences.length > 0) throw changedError(comparison);
  const pending = steps.filter(isPending);
  if (flags.has("--check") && pending.length > 0) throw definitionErrors.E_MIGRATION_PENDING(pending.map(stepLabel));
  return Command.done;
}

async function revertSteps(
  database: Database,
  migrations: readonly Migration[],
  operands: readonly string[],
  isForced: boolean,
  output: Command.Output,
): Promise<Command.Done | undefined> {
  const [count = "1", ...others] = operands;
  if (!/^[1-9]\d{0,3}$/.test(count) || others.length > 0) return undefined;
  if (Configuration.environment() === "production" && !isForced) throw errors.E_MIGRATION_PRODUCTION();
  const reverted = await migrateDown(database, migrations, Number(count), progressOn(output));
  output.print(reverted.length === 0 ? "Nothing to revert." : `Reverted ${countSteps(reverted.length)}.`);
  return Command.done;
}

async function resolveHalfDoneStep(
  { database, migrations, output }: MigrateContext,
  operands: readonly string[],
  flags: ReadonlySet<string>,
): Promise<Command.Done | undefined> {
  const [namespace, step, ...others] = operands;
  if (namespace === undefined || step === undefined || others.length > 0) return undefined;
  const [flag = "", ...otherFlags] = flags;
  const decision = resolutions.get(flag);
  if (decision === undefined || otherFlags.length > 0) return undefined;
  await resolveStep(database, migrations, { namespace, step }, decision.resolution);
  output.print(decision.message);
  return Command.done;
}

async function acceptChangedSteps(
  { database, migrations, output }: MigrateContext,
  operands: readonly string[],
  flags: ReadonlySet<string>,
): Promise<Command.Done | undefined> {
  const [namespace, ...others] = operands;
  if (namespace === undefined || others.length > 0 || flags.size > 1) return undefined;
  const accepted = await acceptSteps(database, migrations, namespace);
  for (const text of accepted) output.print(`Accepted: ${text}`);
  if (accepted.length === 0) output.print("No step differs.");
  return Command.done;
}

const resolutions: ReadonlyMap<string, { readonly resolution: Resolution; readonly message: string }> = new Map([
  ["--applied", { resolution: "applied", message: "Marked as applied." }],
  ["--resume", { resolution: "resume", message: "The next migrate goes on with the interrupted statement." }],
  ["--retry", { resolution: "retry", message: "Marked as pending: the next migrate runs it again." }],
]);

async function showEnvironment(database: Database, output: Command.Output, shouldSet: boolean): Promise<Command.Done> {
  if (shouldSet) await setEnvironment(database);
  const environment = await database.query(findEnvironment);
  if (environment === undefined) output.print("The database belongs to no environment: it was not migrated yet.");
  else output.print(`The database belongs to the environment "${environment}".`);
  return Command.done;
}

const countSteps = (count: number): string => (count === 1 ? "1 step" : `${count} steps`);
