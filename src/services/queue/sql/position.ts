import { Random } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";

const perMillisecond = 1_000_000;
// Begun anywhere, so that two processes seldom give the same place.
let count: number | undefined;

/**
 * Places in the line for so many instances that are due at a time: the nanoseconds of the time, counted up, so that of
 * those that this process adds for one millisecond the earlier ones come first.
 */
export function positions(at: Date, length: number): readonly bigint[] {
  count ??= Random.int(0, perMillisecond - 1);
  if (count + length > perMillisecond) count = 0;
  const first = BigInt(at.getTime()) * BigInt(perMillisecond) + BigInt(count);
  count += length;
  return Array.from({ length }, (_, index) => first + BigInt(index));
}

/** The first place that is not due yet. */
export function endOfLine(): bigint {
  return BigInt(Time.timestamp() + 1) * BigInt(perMillisecond);
}

/** The time of a place. */
export function timeOf(position: bigint): Date {
  return new Date(Number(position / BigInt(perMillisecond)));
}
