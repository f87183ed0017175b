import { Configuration } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import type { Database } from "../database.ts";
import { errors } from "./errors.ts";
import { migrateDown, migrateUp, type MigrationProgress, migrationStatus, resolveStep } from "./runner.ts";
import { numberSteps, stepLabel, type StepStatus } from "./status.ts";
import { type Migration, scriptOf } from "./step.ts";

/** Runs the command `migrate` with its arguments. Returns `undefined` for wrong arguments. */
export async function runMigrateCommand(
  database: Database,
  migrations: readonly Migration[],
  args: readonly string[],
  output: Command.Output,
): Promise<Command.Done | undefined> {
  const flags = new Set(args.filter((arg) => arg.startsWith("--")));
  const [action, ...operands] = args.filter((arg) => !arg.startsWith("--"));
  const hasOnly = (...allowed: readonly string[]): boolean => [...flags].every((flag) => allowed.includes(flag));
  switch (action) {
    case undefined:
      if (!hasOnly("--dry-run", "--json")) return undefined;
      return flags.has("--dry-run")
        ? printPendingSql(database, migrations, output, flags.has("--json"))
        : runPendingSteps(database, migrations, output, flags.has("--json"));
    case "status":
      if (operands.length > 0 || !hasOnly("--json")) return undefined;
      return printStatus(await migrationStatus(database, migrations), output, flags.has("--json"));
    case "down":
      if (!hasOnly("--force")) return undefined;
      return revertSteps(database, migrations, operands, flags.has("--force"), output);
    case "resolve":
      return resolveHalfDoneStep(database, operands, flags, output);
    default:
      return undefined;
  }
}

const progressOn = (output: Command.Output): MigrationProgress => ({
  onStepEnd: (step, durationMs) => output.note(`  ${step} … ${Math.round(durationMs)} ms`),
});

async function runPendingSteps(
  database: Database,
  migrations: readonly Migration[],
  output: Command.Output,
  isJson: boolean,
): Promise<Command.Done> {
  const applied = await migrateUp(database, migrations, isJson ? {} : progressOn(output));
  if (isJson) output.print(JSON.stringify({ applied }));
  else output.print(applied.length === 0 ? "Nothing to migrate." : `Applied ${countSteps(applied.length)}.`);
  return Command.done;
}

async function printPendingSql(
  database: Database,
  migrations: readonly Migration[],
  output: Command.Output,
  isJson: boolean,
): Promise<Command.Done> {
  const pending = (await migrationStatus(database, migrations)).filter(({ state }) => state === "pending");
  const isPending = (namespace: string, number: number): boolean =>
    pending.some((step) => step.namespace === namespace && step.number === number);
  const steps = numberSteps(migrations)
    .filter(({ namespace, number }) => isPending(namespace, number))
    .map(({ namespace, number, step }) => ({
      namespace,
      number,
      name: step.name,
      sql: scriptOf(step.up, database.dialect()),
    }));
  if (isJson) output.print(JSON.stringify({ pending: steps }));
  else for (const step of steps) output.print(`-- ${stepLabel(step)}\n${step.sql};\n`);
  return Command.done;
}

function printStatus(steps: readonly StepStatus[], output: Command.Output, isJson: boolean): Command.Done {
  if (isJson) output.print(JSON.stringify(steps));
  else if (steps.length === 0) output.print("There are no migrations.");
  for (const step of isJson ? [] : steps) {
    const appliedAt = step.applied_at === null ? "" : `  ${step.applied_at.toISOString()}`;
    output.print(`${step.state.padEnd(10)} ${stepLabel(step)}${appliedAt}`);
  }
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
  database: Database,
  operands: readonly string[],
  flags: ReadonlySet<string>,
  output: Command.Output,
): Promise<Command.Done | undefined> {
  const [namespace, number, ...others] = operands;
  const isApplied = flags.has("--applied");
  if (namespace === undefined || number === undefined || !/^\d+$/.test(number) || others.length > 0) return undefined;
  if (flags.size !== 1 || isApplied === flags.has("--retry")) return undefined;
  await resolveStep(database, namespace, Number(number), isApplied);
  output.print(isApplied ? "Marked as applied." : "Marked as pending: the next migrate runs it again.");
  return Command.done;
}

const countSteps = (count: number): string => (count === 1 ? "1 step" : `${count} steps`);
