import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_METRIC: (name: string, problem: string): string =>
    `The metric ${JSON.stringify(name)} cannot be declared: ${problem}.`,
  E_METRIC_TAKEN: (name: string): string =>
    `The metric "${name}" is declared twice. Declare it once, and import it where it is used.`,
  E_METRIC_VALUE: (name: string, value: number, rule: string): string =>
    `The metric "${name}" cannot record ${value}: ${rule}.`,
  E_METRICS_TOKEN: {
    status: 401,
    message: "The metrics require a token: Authorization: Bearer <METRICS_TOKEN>.",
  },
  E_METRICS_CLOSED: { status: 404, message: "There is no such page." },
};

/** Error catalogue of metrics. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
