import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_TEST_OUTBOUND: (target: string): string =>
    `A test tried to connect to ${target}. Replace the service in the test, or allow the host: forbidOutboundRequests({ allow: ["${target.replace(/:\d+$/, "")}"] }).`,
  E_TEST_WAIT: (end: string, seen: string): string => `The condition of waitFor was not met ${end}. ${seen}`,
};

/** Errors of test helpers. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
