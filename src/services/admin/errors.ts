import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_ADMIN_GUARD:
    "Admin.router needs a guard, which lets only administrators pass. Give one, such as guard: User.Web.requireAdmin().",
  E_ADMIN_TABLE: (table: string, problem: string): string => `The table "${table}" can have no pages: ${problem}.`,
};

/** Errors of this service. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
