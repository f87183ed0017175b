import { errors } from "./errors.ts";
import { parseFields } from "./field.ts";
import type { Model } from "./model-files.ts";
import { parseModelName } from "./name.ts";

/**
 * Reads a model from the name and the fields of a command.
 *
 * @throws E_GENERATE_NAME, E_GENERATE_FIELD
 */
export function parseModel(name: string, fields: readonly string[], plural?: string): Model {
  const model = parseModelName(name, plural);
  if (model.one.snake === model.many.snake) {
    throw errors.E_GENERATE_NAME(
      "the name of a model",
      name,
      "its plural is the same word. Say what a list of them is called with --plural=<name>.",
    );
  }
  return { name: model, fields: parseFields(fields, model) };
}
