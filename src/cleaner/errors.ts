import { type Catalogue, catalogue, messageOf } from "../core/index.ts";

const entries = {
  E_CLEANER_PRODUCTION:
    "Cleaners delete data and do not run in production. Set FRAMEWORK_ENV to test or development to run them.",
  E_CLEANER_FAILED: (failures: readonly (readonly [name: string, cause: unknown])[]): string =>
    `These cleaners failed, all others have run. ${failures.map(([name, cause]) => `${name}: ${messageOf(cause)}`).join("; ")}`,
};

export const errors: Catalogue<typeof entries> = catalogue(entries);
