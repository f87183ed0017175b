import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_RANDOM_RANGE: (min: number, max: number): string =>
    `There is no random whole number from ${min} to ${max}. Pass two safe integers, the smaller first, less than 2^48 apart.`,
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
