// Number of rounds of tests that repeat one case with generated input.

/** Divisor of the number of rounds: 11 in `npm test`, 1 where the runner sets the variable. */
const divisor = process.env["LIMMAT_TEST_ROUNDS"] === "all" ? 1 : 11;

/** True if all rounds run. */
export const hasAllRounds: boolean = divisor === 1;

/** Returns the number of rounds that run. */
export function rounds(count: number): number {
  return Math.ceil(count / divisor);
}

/**
 * Returns all items, or every eleventh. Generated texts combine lists of 30, 16 and 8 parts: because 11 divides none of these
 * numbers, every part still occurs.
 */
export function sample<T>(items: readonly T[]): readonly T[] {
  return items.filter((_, index) => index % divisor === 0);
}

/**
 * Minutes that the nightly tests of random tables (with their searches, cursors and values) and of random transactions take, on
 * one database each. With about ten minutes of schema-changes.nightly.test.ts, they run for an hour. They are meant for 100,000
 * groups of transactions: PostgreSQL starts a process for each connection that a test loses, and MariaDB takes 20 ms to end a
 * stream.
 */
const nightlyMinutes = { tables: 7, sqlite: 4, mariadb: 15, postgresql: 15 } as const;

/** Duration of such a test on one database, in milliseconds. */
export const nightlyMsOf = (name: keyof typeof nightlyMinutes): number => nightlyMinutes[name] * 60_000;
