import { parseArgs, styleText } from "node:util";
import { Configuration } from "../../config/index.ts";
import { Command, type ConfigurationField, type Service } from "../../core/index.ts";
import { baseFields } from "../settings.ts";

interface Line extends Configuration.Description {
  /** What reads the key: services by name, `limmat` for the framework itself. */
  readonly neededBy: readonly string[];
  /** What is missing or wrong; never holds the value. */
  readonly problem: string | undefined;
}

const definition: Command.CommandDefinition = {
  name: "config",
  usage: "[--json] [--check]",
  description: "Lists the configuration keys and where they are set, or fails if any is wrong (--check)",
  run: (args, { output, services }) => {
    const { json, check } = parseArgs({
      args: [...args],
      options: { json: { type: "boolean" }, check: { type: "boolean" } },
    }).values;
    const users = usersOf(services);
    if (json === true) output.print(JSON.stringify(linesOf(users), (_, value: unknown) => value ?? null, 2));
    if (check === true) {
      Configuration.require([...users.keys()]);
      if (json !== true) output.print("The configuration is complete.");
    } else if (json !== true) {
      for (const line of linesOf(users)) output.print(textOf(line));
    }
    return Command.done;
  },
};

/** The command `config`: what keys there are, who needs them, and where they are set. Values are never shown. */
export const config: Command.Command = Command.make(definition);

/** The same under the name that the documents of the framework's origin use. */
export const configList: Command.Command = Command.make({
  ...definition,
  name: "config:list",
  description: "The same as config",
});

function usersOf(services: readonly Service.Service[]): Map<ConfigurationField, readonly string[]> {
  const byKey = new Map<string, { readonly field: ConfigurationField; readonly users: string[] }>();
  const add = (field: ConfigurationField, user: string): void => {
    const known = byKey.get(field.key);
    if (known === undefined) byKey.set(field.key, { field, users: [user] });
    else known.users.push(user);
  };
  for (const field of baseFields) add(field, "limmat");
  for (const { name, configuration } of services) for (const field of configuration) add(field, name);
  return new Map([...byKey.values()].map(({ field, users }) => [field, users]));
}

function linesOf(users: ReadonlyMap<ConfigurationField, readonly string[]>): Line[] {
  const problems = new Map(Configuration.check([...users.keys()]).map(({ key, problem }) => [key, problem]));
  return [...users].map(([field, neededBy]) => ({
    ...Configuration.describe(field),
    neededBy: [...new Set(neededBy)],
    problem: problems.get(field.key),
  }));
}

function textOf(line: Line): string {
  const paint = (format: "bold" | "green" | "red" | "dim", text: string): string =>
    styleText(format, text, { validateStream: false });
  const state = line.isSet ? paint("green", `set in: ${line.source}`) : paint("dim", "not set");
  const facts = [
    line.description,
    line.type,
    ...(line.isRequired ? ["required"] : []),
    ...(line.default === undefined || line.default === "" ? [] : [`default ${line.default}`]),
    `needed by ${line.neededBy.join(", ")}`,
  ];
  return [
    `${paint("bold", line.key)}  ${line.problem === undefined ? state : paint("red", line.problem)}`,
    `    ${facts.join("; ")}`,
  ].join("\n");
}
