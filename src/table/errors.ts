import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_TABLE: (table: string, problem: string): string => `The table "${table}" cannot be used: ${problem}`,
  E_TABLE_COLUMN: (table: string, column: string, allowed: readonly string[]): string =>
    `The table "${table}" has no column ${JSON.stringify(column)} that this operation can use. Allowed: ${allowed.join(", ")}.`,
  E_TABLE_VALUE: (table: string, column: string, expected: string, actual: string): string =>
    `The column "${column}" of "${table}" needs ${expected}, not ${actual}.`,
  E_TABLE_RELATION: (table: string, name: unknown, allowed: readonly string[]): string =>
    `The table "${table}" has no relation ${JSON.stringify(name)} that this operation can use. Allowed: ${allowed.join(", ") || "none"}.`,
  E_TABLE_TARGET: {
    status: 503,
    message: (table: string, column: string, target: string): string =>
      `"${column}" of "${table}" refers to a row of "${target}" that does not exist: somebody deleted it meanwhile, or the foreign key is missing.`,
  },
  E_TABLE_DECRYPT: (table: string, column: string): string =>
    `A value of the encrypted column "${column}" of "${table}" cannot be decrypted: it was changed or moved, or its key is missing. Check FRAMEWORK_SECRET and FRAMEWORK_SECRET_OLD.`,
  E_STALE: {
    status: 409,
    message: "Somebody else has changed this entry in the meantime.",
  },
};

/** Errors of tables. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
