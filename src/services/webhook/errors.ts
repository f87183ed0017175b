import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  // One message for all reasons: it helps nobody to forge a signature. The cause names the reason, for the log.
  E_WEBHOOK_SIGNATURE: { status: 401, message: "The webhook has no valid signature." },
  E_WEBHOOK_CONTENT: { status: 400, message: "The webhook has no valid content." },
  E_WEBHOOK_SECRET: (problem: string): string => `A webhook secret is unusable: ${problem}.`,
  E_WEBHOOK_EVENT: (type: string, problem: string): string =>
    `The webhook event ${JSON.stringify(type)} cannot be sent: ${problem}.`,
  E_WEBHOOK_DELIVERY: (endpoint: string, problem: string): string =>
    `The webhook was not delivered to the endpoint "${endpoint}": ${problem}`,
};

/** Error catalogue of the module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
