import { Configuration } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import type { Database } from "../database.ts";
import { errors } from "./errors.ts";
import { down, resolve, type RunOptions, status, up } from "./runner.ts";
import { label, placed, type StepStatus } from "./status.ts";
import { type Migration, scriptOf } from "./step.ts";

type Output = Command.Output;

/** What the command `migrate` does. */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  args: readonly string[],
  output: Output,
): Promise<Command.Done | undefined> {
  const flags = new Set(args.filter((arg) => arg.startsWith("--")));
  const [action, ...rest] = args.filter((arg) => !arg.startsWith("--"));
  const only = (...allowed: readonly string[]): boolean => [...flags].every((flag) => allowed.includes(flag));
  switch (action) {
    case undefined:
      if (!only("--dry-run", "--json")) return undefined;
      return flags.has("--dry-run")
        ? dryRun(database, migrations, output, flags.has("--json"))
        : run(database, migrations, output, flags.has("--json"));
    case "status":
      if (rest.length > 0 || !only("--json")) return undefined;
      return show(await status(database, migrations), output, flags.has("--json"));
    case "down":
      return only("--force") ? takeBack(database, migrations, rest, flags.has("--force"), output) : undefined;
    case "resolve":
      return settle(database, rest, flags, output);
    default:
      return undefined;
  }
}

const progress = (output: Output): RunOptions => ({
  end: (step, duration) => output.note(`  ${step} … ${Math.round(duration)} ms`),
});

async function run(
  database: Database,
  migrations: readonly Migration[],
  output: Output,
  isJson: boolean,
): Promise<Command.Done> {
  const done = await up(database, migrations, isJson ? {} : progress(output));
  if (isJson) output.print(JSON.stringify({ applied: done }));
  else output.print(done.length === 0 ? "Nothing to migrate." : `Applied ${count(done.length)}.`);
  return Command.done;
}

async function dryRun(
  database: Database,
  migrations: readonly Migration[],
  output: Output,
  isJson: boolean,
): Promise<Command.Done> {
  const pending = (await status(database, migrations)).filter(({ state }) => state === "pending");
  const isPending = (namespace: string, number: number): boolean =>
    pending.some((step) => step.namespace === namespace && step.number === number);
  const steps = placed(migrations)
    .filter(({ namespace, number }) => isPending(namespace, number))
    .map(({ namespace, number, step }) => ({
      namespace,
      number,
      name: step.name,
      sql: scriptOf(step.up, database.dialect()),
    }));
  if (isJson) output.print(JSON.stringify({ pending: steps }));
  else for (const step of steps) output.print(`-- ${label(step)}\n${step.sql};\n`);
  return Command.done;
}

function show(steps: readonly StepStatus[], output: Output, isJson: boolean): Command.Done {
  if (isJson) output.print(JSON.stringify(steps));
  else if (steps.length === 0) output.print("There are no migrations.");
  for (const step of isJson ? [] : steps) {
    const when = step.applied_at === null ? "" : `  ${step.applied_at.toISOString()}`;
    output.print(`${step.state.padEnd(10)} ${label(step)}${when}`);
  }
  return Command.done;
}

async function takeBack(
  database: Database,
  migrations: readonly Migration[],
  rest: readonly string[],
  isForced: boolean,
  output: Output,
): Promise<Command.Done | undefined> {
  const [given = "1", ...others] = rest;
  if (!/^[1-9]\d{0,3}$/.test(given) || others.length > 0) return undefined;
  if (Configuration.environment() === "production" && !isForced) throw errors.E_MIGRATION_PRODUCTION();
  const undone = await down(database, migrations, Number(given), progress(output));
  output.print(undone.length === 0 ? "Nothing to take back." : `Took back ${count(undone.length)}.`);
  return Command.done;
}

async function settle(
  database: Database,
  rest: readonly string[],
  flags: ReadonlySet<string>,
  output: Output,
): Promise<Command.Done | undefined> {
  const [namespace, number, ...others] = rest;
  const isApplied = flags.has("--applied");
  if (namespace === undefined || number === undefined || !/^\d+$/.test(number) || others.length > 0) return undefined;
  if (flags.size !== 1 || isApplied === flags.has("--retry")) return undefined;
  await resolve(database, namespace, Number(number), isApplied);
  output.print(isApplied ? "Noted as applied." : "Noted as not begun: the next migrate runs it again.");
  return Command.done;
}

const count = (steps: number): string => (steps === 1 ? "1 step" : `${steps} steps`);
