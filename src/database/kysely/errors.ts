import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_KYSELY_DIALECT: {
    message: (implementation: string): string =>
      `It is not known which SQL the database "${implementation}" speaks. Tell it: kysely(database, { dialect: "postgresql" })`,
  },
  E_KYSELY_TRANSACTION: {
    message: (): string =>
      "A transaction cannot be left open between calls, because nothing could join it. Take transaction().execute(…).",
  },
};

/** The errors of this folder. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
