import { createHash, randomBytes, randomFillSync } from "node:crypto";

/** Where randomness comes from: gives so many bytes, each time others. */
export type RandomSource = (size: number) => Buffer;

// One draw from the generator costs as much as hundreds of copies: a page with a form takes three or four.
const pool = Buffer.alloc(4096);
const longestPooled = 256;
let used = pool.length;

/** The operating system's generator, through OpenSSL's. No byte is given twice or kept after it was given. */
export const systemSource: RandomSource = (size) => {
  if (!Number.isInteger(size) || size < 0 || size > longestPooled) return randomBytes(size);
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at++, used++) {
    bytes[at] = pool[used]!;
    pool[used] = 0;
  }
  return bytes;
};

/**
 * Makes a source for tests that gives the same bytes for the same seed, in whatever portions they are asked for.
 *
 * Never use it elsewhere: whoever knows the seed knows all that follows.
 */
export function seededSource(seed: string): RandomSource {
  let block = 0;
  let rest = Buffer.alloc(0);
  return (size) => {
    const parts = [rest];
    for (let length = rest.length; length < size; length += 32) {
      parts.push(createHash("sha256").update(`${block++}:${seed}`).digest());
    }
    const all = Buffer.concat(parts);
    rest = all.subarray(size);
    return all.subarray(0, size);
  };
}
