// Characters of hostile texts.
import { type Arbitrary, integer, oneof } from "fast-check";

/**
 * Any Unicode character, control characters included, lone surrogates excluded. It is the unit of `fc.string`. The unit
 * "binary" of fast-check has the same characters, and prepares a table of them for 1.7 s in each process that uses it.
 */
export const anyCharacter: Arbitrary<string> = oneof(
  { weight: 2, arbitrary: integer({ min: 0, max: 0x7f }) },
  { weight: 1, arbitrary: integer({ min: 0x80, max: 0xd7ff }) },
  { weight: 1, arbitrary: integer({ min: 0xe000, max: 0x10ffff }) },
).map((code) => String.fromCodePoint(code));
