import { type Catalogue, catalogue } from "../../core/limmat-error.ts";

const entries = {
  E_COMPONENT_FIELD: {
    message: (name: string): string =>
      `The schema has no field ${JSON.stringify(name)}. Use a name of its fields, "address.street" for a field of a nested ` +
      'record, and "lines.0.title" for a field in a list.',
  },
  E_COMPONENT_TYPE: {
    message: (name: string, type: string): string =>
      `The field ${JSON.stringify(name)} cannot be rendered as "${type}", because it has no choices. Pass the option ` +
      '"choices", or use Schema.oneOf.',
  },
};

/** Error catalogue of the components. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
