import { type Catalogue, catalogue } from "../../core/index.ts";

const entries = {
  E_METRIC: {
    message: (name: string, problem: string): string =>
      `The metric ${JSON.stringify(name)} cannot be declared: ${problem}.`,
  },
  E_METRIC_TAKEN: {
    message: (name: string): string =>
      `There are two metrics "${name}". Declare it once, and import it where it is counted.`,
  },
  E_METRIC_VALUE: {
    message: (name: string, value: number, rule: string): string => `${value} cannot be counted in "${name}": ${rule}.`,
  },
  E_METRICS_TOKEN: {
    status: 401,
    message: (): string => "These figures are for whoever has the token: Authorization: Bearer <METRICS_TOKEN>.",
  },
  E_METRICS_CLOSED: { status: 404, message: (): string => "There is no such page." },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
