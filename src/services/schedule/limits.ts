/** How long a claim is good for when it is not renewed, in milliseconds. */
export const leaseTime = 30_000;

/**
 * How far the clock must have been set back so that slots after the new time are run although later ones were, and a lease
 * no longer counts that ends so far ahead.
 */
export const setBack = 86_400_000;

/** How many runs of each schedule are remembered. */
export const remembered = 100;
