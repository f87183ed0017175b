import { parseArgs, styleText } from "node:util";
import { checkFields, describeField, type FieldDescription } from "../../config/internal.ts";
import { Command, type ConfigurationField, type Service } from "../../core/index.ts";
import { baseFields } from "../../program/index.ts";

interface ConfigurationRow extends FieldDescription {
  /** Names of the services that read the key; `limmat` for the framework itself. */
  readonly neededBy: readonly string[];
  /** Problem of a missing or invalid key. Never contains the value. */
  readonly problem: string | undefined;
}

/** Runs the command `config`. @throws E_CONFIGURATION with `--check` */
export async function runConfig(
  args: readonly string[],
  context: Command.CommandContext,
  checkStart: () => Promise<void>,
): Promise<Command.Done> {
  const { json = false, check = false } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean" }, check: { type: "boolean" } },
  }).values;
  if (json || !check) printConfiguration(json, context);
  if (check) await checkStart();
  if (check && !json) context.output.print("The configuration is complete.");
  return Command.done;
}

/** Prints the configuration keys, for people or as JSON. */
function printConfiguration(isJson: boolean, { output, services }: Command.CommandContext): void {
  const rows = configurationRows(consumersByField(services));
  if (isJson) output.print(JSON.stringify(rows, (_, value: unknown) => value ?? null, 2));
  else for (const row of rows) output.print(formatConfigurationRow(row));
}

function consumersByField(services: readonly Service.Service[]): Map<ConfigurationField, readonly string[]> {
  const consumersByKey = new Map<string, { readonly field: ConfigurationField; readonly consumers: string[] }>();
  const add = (field: ConfigurationField, consumer: string): void => {
    const entry = consumersByKey.get(field.key);
    if (entry === undefined) consumersByKey.set(field.key, { field, consumers: [consumer] });
    else entry.consumers.push(consumer);
  };
  for (const field of baseFields) add(field, "limmat");
  for (const { name, configuration } of services) for (const field of configuration) add(field, name);
  return new Map([...consumersByKey.values()].map(({ field, consumers }) => [field, consumers]));
}

function configurationRows(consumers: ReadonlyMap<ConfigurationField, readonly string[]>): ConfigurationRow[] {
  const problems = new Map(checkFields([...consumers.keys()]).map(({ key, problem }) => [key, problem]));
  return [...consumers].map(([field, neededBy]) => ({
    ...describeField(field),
    neededBy: [...new Set(neededBy)],
    problem: problems.get(field.key),
  }));
}

function formatConfigurationRow(row: ConfigurationRow): string {
  const paint = (format: "bold" | "green" | "red" | "dim", text: string): string =>
    styleText(format, text, { validateStream: false });
  const state = row.isSet ? paint("green", `set in: ${row.source}`) : paint("dim", "not set");
  const details = [
    row.description,
    row.type,
    ...(row.isRequired ? ["required"] : []),
    ...(row.default === undefined || row.default === "" ? [] : [`default ${row.default}`]),
    `needed by ${row.neededBy.join(", ")}`,
  ];
  return [
    `${paint("bold", row.key)}  ${row.problem === undefined ? state : paint("red", row.problem)}`,
    `    ${details.join("; ")}`,
  ].join("\n");
}
