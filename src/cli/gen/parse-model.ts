import { existsSync } from "node:fs";
import { join } from "node:path";
import { errors } from "./errors.ts";
import { type Field, parseFields } from "./field.ts";
import { type ModelName, parseModelName } from "./name.ts";

/** A validated description of a model. */
export interface Model {
  readonly name: ModelName;
  readonly fields: readonly Field[];
}

/**
 * Parses a model from the arguments of a command.
 *
 * @throws E_GENERATE_NAME, E_GENERATE_FIELD
 */
export function parseModel(name: string, fields: readonly string[], pluralName?: string): Model {
  const modelName = parseModelName(name, pluralName);
  if (modelName.singular.snake === modelName.plural.snake) {
    throw errors.E_GENERATE_NAME(
      "the name of a model",
      name,
      "its plural is the same word. Set another plural with --plural=<name>.",
    );
  }
  return { name: modelName, fields: parseFields(fields, modelName) };
}

/** True if both names belong to the same model. */
export const isSameModel = (first: ModelName, second: ModelName): boolean =>
  first.singular.snake === second.singular.snake;

/** Returns the models that `reference` fields point to, without duplicates. */
export function referencedModels(fields: readonly Field[]): readonly ModelName[] {
  const targets = fields.flatMap(({ target }) => target ?? []);
  return [...new Map(targets.map((target) => [target.singular.snake, target])).values()];
}

/** Returns the fields that a search filters by: strings and texts. */
export const searchableFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(({ type }) => type === "string" || type === "text");

/**
 * Checks that the models that `reference` fields point to exist, except the model itself.
 *
 * @throws E_GENERATE_MISSING
 */
export function requireReferencedModels({ name, fields }: Model, root: string): void {
  for (const target of referencedModels(fields)) if (!isSameModel(target, name)) requireModel(target, root);
}

/**
 * Checks that a model and its test factory exist.
 *
 * @throws E_GENERATE_MISSING
 */
export function requireModel({ singular }: ModelName, root: string): void {
  const files = [`app/domain/${singular.kebab}/${singular.kebab}.ts`, `test/factory/${singular.kebab}.ts`];
  const missing = files.find((path) => !existsSync(join(root, path)));
  if (missing === undefined) return;
  const userHint =
    singular.snake === "user"
      ? ' Users from gen.auth are not a generated model: store their id, as in "user_id:uuid:index".'
      : "";
  throw errors.E_GENERATE_MISSING(missing, `Generate the model "${singular.snake}" first.${userHint}`);
}
