import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_FIELD_NAME: {
    message: (name: string): string =>
      `${JSON.stringify(name)} is not a valid field name: a name is not empty and contains no dot, because a dot separates the names of nested fields, as in "address.street". Choose another name.`,
  },
  E_SCHEMA_TARGET: {
    message: (target: string, supportedTargets: readonly string[]): string =>
      `The JSON Schema dialect "${target}" is not supported. Supported dialects: ${supportedTargets.join(", ")}.`,
  },
};

/** Error catalogue of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
