import { timingSafeEqual } from "node:crypto";

/**
 * Compares two secrets in constant time. Returns false at once if their lengths in bytes differ: hash both first if the
 * length is secret as well.
 */
export function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [leftBytes, rightBytes] = [toBytes(left), toBytes(right)];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

const toBytes = (value: string | Uint8Array): Uint8Array => (typeof value === "string" ? Buffer.from(value) : value);
