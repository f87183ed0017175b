import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_FIELD_NAME: {
    message: (name: string): string =>
      `A record cannot have a field called ${JSON.stringify(name)}: a name is not empty and holds no dot, which leads to what is inside a field, as in "address.street". Take another name.`,
  },
  E_SCHEMA_TARGET: {
    message: (target: string, known: readonly string[]): string =>
      `A schema cannot be written as "${target}". Known are: ${known.join(", ")}.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
