import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_AUDIT_EVENT: (action: string, problem: string): string =>
    `The event ${JSON.stringify(action)} cannot be recorded: ${problem}.`,
};

/** Errors of this service. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
