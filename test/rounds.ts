// Number of rounds of tests that repeat one case with generated input.

/** Share of the rounds that run: all in `npm run test:all`, which sets the variable, one in eleven elsewhere. */
const divisor = process.env["LIMMAT_TEST_ROUNDS"] === "all" ? 1 : 11;

/** True if all rounds run. */
export const hasAllRounds: boolean = divisor === 1;

/** Returns how many of the rounds run. */
export function rounds(count: number): number {
  return Math.ceil(count / divisor);
}

/** Returns the items whose turn it is: all, or every eleventh. Eleven divides none of the lists that texts are made of. */
export function sample<T>(items: readonly T[]): readonly T[] {
  return items.filter((_, index) => index % divisor === 0);
}
