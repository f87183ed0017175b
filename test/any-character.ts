// Characters of hostile texts.
import { type Arbitrary, integer, oneof } from "fast-check";

/**
 * Any Unicode character, as the unit of `fc.string`. It includes control characters, and excludes lone surrogates. The unit
 * "binary" of fast-check has the same characters, but its first use takes 1.7 s in each process.
 */
export const anyCharacter: Arbitrary<string> = oneof(
  { weight: 2, arbitrary: integer({ min: 0, max: 0x7f }) },
  { weight: 1, arbitrary: integer({ min: 0x80, max: 0xd7ff }) },
  { weight: 1, arbitrary: integer({ min: 0xe000, max: 0x10ffff }) },
).map((code) => String.fromCodePoint(code));
