/** How far ahead a job may lie, in milliseconds: a hundred years. */
export const furthest: number = 36_525 * 86_400_000;

/** A lease that ends later than so many milliseconds from now was given by a clock that was wrong. */
export const wrongClock: number = 86_400_000;
