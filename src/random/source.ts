import { createHash, randomBytes } from "node:crypto";

/** Where randomness comes from: gives so many bytes, each time others. */
export type RandomSource = (size: number) => Buffer;

/** The operating system's generator, through OpenSSL's. */
export const systemSource: RandomSource = randomBytes;

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
