import { Random } from "../../../../random/index.ts";
import { Time } from "../../../../time/index.ts";

const positionsPerMs = 1_000_000;
// Starts at random, so that two processes seldom assign the same position.
let sequence: number | undefined;

/**
 * Returns positions for jobs that are due at a time. A position is the due time in nanoseconds, whose last six digits are a
 * sequence number: jobs that this process adds for one millisecond keep their order.
 */
export function positionsAt(dueAt: Date, length: number): readonly bigint[] {
  sequence ??= Random.int(0, positionsPerMs - 1);
  if (sequence + length > positionsPerMs) sequence = 0;
  const first = BigInt(dueAt.getTime()) * BigInt(positionsPerMs) + BigInt(sequence);
  sequence += length;
  return Array.from({ length }, (_, index) => first + BigInt(index));
}

/** Returns the first position that is not due yet. */
export function maxPosition(): bigint {
  return BigInt(Time.timestamp() + 1) * BigInt(positionsPerMs);
}

/** Returns the due time of a position. */
export function dueTimeOf(position: bigint): Date {
  return new Date(Number(position / BigInt(positionsPerMs)));
}
