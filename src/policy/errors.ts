import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_POLICY: (table: string, problem: string): string => `The policy of the table "${table}" cannot be used: ${problem}`,
  E_POLICY_NO_ROW: { status: 404, message: "There is no such entry." },
  E_POLICY_REFUSED: { status: 403, message: (reason: string = "You may not do this."): string => reason },
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
