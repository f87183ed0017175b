import { styleText } from "node:util";
import { checkFields, describeField, type FieldDescription, requireFields } from "../../config/internal.ts";
import type { Command, ConfigurationField, Service } from "../../core/index.ts";
import { baseFields } from "../settings.ts";

interface ConfigurationRow extends FieldDescription {
  /** Names of the services that read the key; `limmat` for the framework itself. */
  readonly neededBy: readonly string[];
  /** Problem of a missing or invalid key. Never contains the value. */
  readonly problem: string | undefined;
}

/** Options of `printConfiguration`. */
export interface PrintConfigurationOptions {
  /** True to print JSON. */
  readonly json?: boolean | undefined;
  /** True to throw an error if a key is missing or invalid. */
  readonly check?: boolean | undefined;
}

/** Runs the command `config`. @throws E_CONFIGURATION with `check` */
export function printConfiguration(
  { json = false, check = false }: PrintConfigurationOptions,
  { output, services }: Command.CommandContext,
): void {
  const consumers = consumersByField(services);
  if (json) output.print(JSON.stringify(configurationRows(consumers), (_, value: unknown) => value ?? null, 2));
  if (check) {
    requireFields([...consumers.keys()]);
    if (!json) output.print("The configuration is complete.");
  } else if (!json) {
    for (const row of configurationRows(consumers)) output.print(formatConfigurationRow(row));
  }
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
