import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { errors as errorsOf, type Form } from "./form.ts";
import { converterOf, type JsonParts } from "./json-schema.ts";

/** What was read: the form to show again, and the value if nothing was wrong. */
export interface Decoded<T> {
  readonly form: Form;
  readonly value: T | undefined;
}

/** What a Standard Schema and a Standard JSON Schema (both version 1) say of themselves: <https://standardschema.dev>. */
export interface StandardProps<T> extends StandardSchemaV1.Props<T>, StandardJSONSchemaV1.Props<T> {}

/** The same of what reads JSON. */
export function standardProps<T>(decodeJson: (body: unknown) => Decoded<T>, parts: JsonParts): StandardProps<T> {
  return {
    version: 1,
    vendor: "limmat",
    validate: (body) => {
      const { form, value } = decodeJson(body);
      if (value !== undefined) return { value };
      return { issues: Object.entries(errorsOf(form)).map(([name, message]) => ({ message, path: pathOf(name) })) };
    },
    jsonSchema: converterOf(parts),
  };
}

/** The path of a full name: numbers are those of items. */
function pathOf(name: string): readonly PropertyKey[] {
  if (name === "") return [];
  return name.split(".").map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
}
