import { AssertionError } from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { type ObservedStatement, observeStatements } from "../database/observation/index.ts";
import { LogInternals } from "../log/index.ts";

/** Statement that was run, with the location in the application that ran it. */
export interface CapturedQuery {
  /** SQL text with placeholders, on one line. */
  readonly text: string;
  readonly at: string;
}

/** Captured statements. */
export interface CapturedQueries extends Disposable {
  /** Statements, in order. Transaction control such as `begin` is not among them. */
  readonly entries: readonly CapturedQuery[];
}

/**
 * Captures the statements of all databases until the end of the scope. They run nevertheless.
 *
 * @example
 * using queries = capturedQueries();
 * await app.request("/issues");
 * assert.ok(queries.entries.every(({ text }) => !text.startsWith("delete")));
 */
export function capturedQueries(): CapturedQueries {
  const entries: CapturedQuery[] = [];
  const stop = observeStatements((statement) => void entries.push(captured(statement)));
  return { entries, [Symbol.dispose]: stop };
}

const captured = ({ text, callSite }: ObservedStatement): CapturedQuery => ({ text, at: callSite() });

const counted = new AsyncLocalStorage<CapturedQuery[]>();

/**
 * Runs a callback and returns its value. Fails if the callback runs more than `max` statements, and prints them. Counts the
 * statements of the callback alone, requests through `app.request` included.
 *
 * @throws AssertionError
 * @example
 * await queryLimit(3, () => app.request("/issues"));
 */
export async function queryLimit<T>(max: number, callback: () => Promise<T> | T): Promise<T> {
  const queries: CapturedQuery[] = [];
  const outer = counted.getStore();
  const stop = observeStatements((statement) => {
    if (counted.getStore() === queries) queries.push(captured(statement));
  });
  try {
    const value = await counted.run(queries, callback);
    if (queries.length <= max) return value;
  } finally {
    stop();
    outer?.push(...queries);
  }
  throw new AssertionError({
    message: `${queries.length === 1 ? "1 statement" : `${queries.length} statements`} ran, and at most ${max} were expected:\n${numberedLines(queries)}`,
    actual: queries.length,
    expected: max,
    operator: "queryLimit",
    stackStartFn: queryLimit,
  });
}

const numberedLines = (queries: readonly CapturedQuery[]): string =>
  queries.map(({ text, at }, index) => `  ${index + 1}. ${text}\n     at ${at}`).join("\n");

/**
 * Fails at the end of the scope if a request has run the same statement text more than `max` times, by default 2. It is
 * usually an N+1 query: one statement per item of a list instead of one for all items. The values of the statements do not
 * count.
 *
 * @throws AssertionError at the end of the scope, with the statements and their locations.
 * @example
 * using _ = forbidRepeatedQueries();
 * await app.request("/issues");
 */
export function forbidRepeatedQueries({ max = 2 }: { readonly max?: number } = {}): Disposable {
  const requests = new Map<unknown, Map<string, string[]>>();
  const stop = observeStatements(({ text, callSite }) => {
    const request = LogInternals.currentFields()?.["request_id"];
    if (request === undefined) return;
    const locations = requests.get(request) ?? new Map<string, string[]>();
    requests.set(request, locations);
    locations.set(text, [...(locations.get(text) ?? []), callSite()]);
  });
  return {
    [Symbol.dispose]: () => {
      stop();
      const repeated = [...requests.values()].flatMap((locations) =>
        [...locations].filter(([, places]) => places.length > max),
      );
      if (repeated.length === 0) return;
      const lines = repeated.map(
        ([text, places]) => `  ${places.length} times: ${text}\n     at ${[...new Set(places)].join("\n     at ")}`,
      );
      throw new AssertionError({
        message: `A request ran the same statement more than ${max} times. Load the rows with one statement:\n${lines.join("\n")}`,
        operator: "forbidRepeatedQueries",
      });
    },
  };
}
