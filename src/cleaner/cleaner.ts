import { Configuration } from "../config/index.ts";
import type { ContextOptions } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Empties what one service holds, such as its tables. Its context names the pool, as for any operation. */
export type CleanerFunction = (options: ContextOptions) => Promise<void> | void;

interface Cleaner {
  readonly name: string;
  readonly clean: CleanerFunction;
}

const cleaners = new Set<Cleaner>();

/**
 * Registers how a service's data is deleted between tests. Gives the function that takes it back, for the service's
 * `stop`.
 */
export function register(name: string, clean: CleanerFunction): () => void {
  const cleaner = { name, clean };
  cleaners.add(cleaner);
  return () => void cleaners.delete(cleaner);
}

/**
 * Runs all cleaners, one after the other, the last registered first, and each even if another fails: a service that
 * was registered later may refer to data of an earlier one.
 *
 * @throws E_CLEANER_PRODUCTION in production, before any has run; E_CLEANER_FAILED at the end, when some have failed.
 */
export async function cleanAll(options: ContextOptions = {}): Promise<void> {
  if (Configuration.environment() === "production") throw errors.E_CLEANER_PRODUCTION();
  const names: string[] = [];
  const causes: unknown[] = [];
  for (const { name, clean } of [...cleaners].toReversed()) {
    try {
      await clean(options);
    } catch (cause) {
      names.push(name);
      causes.push(cause);
    }
  }
  if (names.length > 0) throw errors.E_CLEANER_FAILED(names).causedBy(new AggregateError(causes));
}

/** Forgets all cleaners. For tests. */
export function reset(): void {
  cleaners.clear();
}
