import { Configuration } from "../config/index.ts";
import type { ContextOptions } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Deletes the data of one service, such as the rows of its tables. As in every operation, the context names the pool. */
export type CleanerFunction = (options: ContextOptions) => Promise<void> | void;

interface Cleaner {
  readonly name: string;
  readonly clean: CleanerFunction;
}

// Process-wide state of this module.
const cleaners = new Set<Cleaner>();

/** Registers a function that deletes a service's data between tests. Returns a function for `stop` that unregisters it. */
export function register(name: string, clean: CleanerFunction): () => void {
  const cleaner = { name, clean };
  cleaners.add(cleaner);
  return () => void cleaners.delete(cleaner);
}

/**
 * Runs all cleaners one after the other, the last registered first, because later services can refer to data of earlier
 * ones. A failure does not stop the others.
 *
 * @throws E_CLEANER_PRODUCTION in production, before any cleaner runs; E_CLEANER_FAILED at the end, when some have failed.
 */
export async function cleanAll(options: ContextOptions = {}): Promise<void> {
  if (Configuration.environment() === "production") throw errors.E_CLEANER_PRODUCTION();
  const failedNames: string[] = [];
  const causes: unknown[] = [];
  for (const { name, clean } of [...cleaners].toReversed()) {
    try {
      await clean(options);
    } catch (cause) {
      failedNames.push(name);
      causes.push(cause);
    }
  }
  if (failedNames.length > 0) throw errors.E_CLEANER_FAILED(failedNames).causedBy(new AggregateError(causes));
}

/** Unregisters all cleaners. For tests. */
export function reset(): void {
  cleaners.clear();
}
