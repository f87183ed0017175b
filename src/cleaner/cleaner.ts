import { Configuration } from "../config/index.ts";
import type { ContextOptions } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Deletes the data of one service, such as the rows of its tables. As in every operation, the context names the pool. */
export type CleanerFunction = (options: ContextOptions) => Promise<void> | void;

/** Options of `Cleaner.register`. */
export interface CleanerOptions {
  /** Throws if the data must not be deleted. Called for all cleaners before the first one deletes. */
  readonly verify?: CleanerFunction;
  /** True if all of the data is in the memory of this process. Default: false. */
  readonly isInMemory?: boolean;
}

/** Options of `Cleaner.cleanAll`. */
export interface CleanAllOptions extends ContextOptions {
  /** True to run only the cleaners of data in the memory of this process, before a test that is rolled back. Default: false. */
  readonly onlyMemory?: boolean;
}

interface Cleaner extends CleanerOptions {
  readonly name: string;
  readonly clean: CleanerFunction;
}

// Process-wide state of this module.
const cleaners = new Set<Cleaner>();

/** Registers a function that deletes a service's data between tests. Returns a function for `stop` that unregisters it. */
export function register(name: string, clean: CleanerFunction, options: CleanerOptions = {}): () => void {
  const cleaner = { name, clean, ...options };
  cleaners.add(cleaner);
  return () => void cleaners.delete(cleaner);
}

/**
 * Runs all cleaners one after the other, the last registered first, because later services can refer to data of earlier
 * ones. A failure does not stop the others.
 *
 * @throws E_CLEANER_PRODUCTION in production, and E_DATABASE_ENVIRONMENT if a database belongs to another environment,
 * before any cleaner runs; E_CLEANER_FAILED at the end, when some have failed.
 */
export async function cleanAll({ onlyMemory = false, ...options }: CleanAllOptions = {}): Promise<void> {
  if (Configuration.environment() === "production") throw errors.E_CLEANER_PRODUCTION();
  const selected = [...cleaners].filter(({ isInMemory = false }) => isInMemory || !onlyMemory);
  for (const { verify } of selected) await verify?.(options);
  const failures: [name: string, cause: unknown][] = [];
  for (const { name, clean } of selected.toReversed()) {
    try {
      await clean(options);
    } catch (cause) {
      failures.push([name, cause]);
    }
  }
  if (failures.length === 0) return;
  throw errors.E_CLEANER_FAILED(failures).causedBy(new AggregateError(failures.map(([, cause]) => cause)));
}
