import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_KYSELY_DIALECT: (implementation: string): string =>
    `The SQL dialect of the database "${implementation}" is unknown. Set it: kysely(database, { dialect: "postgresql" })`,
  E_KYSELY_TRANSACTION:
    "Controlled transactions (startTransaction) are not supported, because other modules could not join them. Use transaction().execute(…).",
};

/** Errors of the Kysely adapter. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
