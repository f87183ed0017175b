import { parseArgs, styleText } from "node:util";
import { checkFields, describeField, type FieldDescription, requireFields } from "../../config/internal.ts";
import { Command, type ConfigurationField, type Service } from "../../core/index.ts";
import { baseFields } from "../settings.ts";

interface ConfigurationRow extends FieldDescription {
  /** Names of the services that read the key; `limmat` for the framework itself. */
  readonly neededBy: readonly string[];
  /** Problem of a missing or invalid key. Never contains the value. */
  readonly problem: string | undefined;
}

const definition: Command.CommandDefinition = {
  name: "config",
  usage: "[--json] [--check]",
  description: "Lists the configuration keys and where they are set, or fails if any is invalid (--check)",
  run: (args, { output, services }) => {
    const { json, check } = parseArgs({
      args: [...args],
      options: { json: { type: "boolean" }, check: { type: "boolean" } },
    }).values;
    const consumers = consumersByField(services);
    if (json === true)
      output.print(JSON.stringify(configurationRows(consumers), (_, value: unknown) => value ?? null, 2));
    if (check === true) {
      requireFields([...consumers.keys()]);
      if (json !== true) output.print("The configuration is complete.");
    } else if (json !== true) {
      for (const row of configurationRows(consumers)) output.print(formatConfigurationRow(row));
    }
    return Command.done;
  },
};

/** Command `config`, which lists configuration keys, their consumers and sources. Never prints values. */
export const config: Command.Command = Command.make(definition);

/** Command `config:list`, an alias of `config` named by the specification. */
export const configList: Command.Command = Command.make({
  ...definition,
  name: "config:list",
  description: "The same as config",
});

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
