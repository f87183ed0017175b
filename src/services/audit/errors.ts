import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_AUDIT_ACTOR:
    "Nobody is known who downloads the audit trail, which is recorded. Add Audit.Web.middleware to the `middlewares` of its pages.",
  E_AUDIT_EVENT: (action: string, problem: string): string =>
    `The event ${JSON.stringify(action)} cannot be recorded: ${problem}.`,
  E_AUDIT_GUARD:
    "The pages of the audit trail have no guard. Name in `guards` who may see them, such as [User.Web.requireAdmin()].",
  E_AUDIT_UNAVAILABLE: {
    status: 503,
    message: (action: string): string =>
      `The event "${action}" could not be stored, so what it records must not happen. The cause says why; if the table is missing, run "migrate".`,
  },
};

/** Errors of this service. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
