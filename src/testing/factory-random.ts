import { RandomInternals } from "../random/index.ts";

/** Random values that are the same in each run. Never use them for secrets. */
export interface FactoryRandom {
  /** Returns an integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns true in half of the cases. */
  bool(): boolean;
  /** Returns one of the values. */
  pick<const T>(values: readonly [T, ...T[]]): T;
  /** Returns a UUID of version 4. */
  uuid(): string;
  /** Returns a point in time between two others. */
  date(from: Date, until: Date): Date;
  /** Returns `count` pronounceable words, for texts. */
  words(count: number): string;
}

const [consonants, vowels] = ["bdfgklmnprstvz", "aeiou"];

/** Creates the random values of a seed. */
export function makeFactoryRandom(seed: string): FactoryRandom {
  const source = RandomInternals.seededSource(seed);
  // 2⁴⁸ values: the bias of the remainder is below one in a million for ranges up to 2²⁸.
  const below = (limit: number): number => source(6).readUIntBE(0, 6) % limit;
  const int = (min: number, max: number): number => min + below(max - min + 1);
  const letter = (letters: string): string => letters[below(letters.length)] ?? "";
  const word = (): string => Array.from({ length: int(1, 3) }, () => letter(consonants) + letter(vowels)).join("");
  return {
    int,
    bool: () => below(2) === 1,
    pick: (values) => values[below(values.length)] ?? values[0],
    uuid: () => {
      const bytes = Buffer.from(source(16));
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    date: (from, until) => new Date(int(from.getTime(), until.getTime())),
    words: (count) => Array.from({ length: count }, word).join(" "),
  };
}
