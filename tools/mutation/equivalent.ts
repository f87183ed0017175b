// Equivalent mutants: changes that do not affect the behaviour. They are not counted. `equivalent.txt` lists them below
// their file and the reason, as `formatChange` writes them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

type Change = Pick<Mutant, "original" | "changed">;

/** Changes of each file. */
const changes = new Map<string, Set<string>>();
let current = new Set<string>();
for (const line of readFileSync(join(import.meta.dirname, "equivalent.txt"), "utf8").split("\n")) {
  if (line.startsWith("    ")) current.add(line.slice(4));
  else if (line !== "" && !line.startsWith(" ")) changes.set(line, (current = new Set()));
}

/** Returns the equivalent mutants of a file. */
export const equivalentsOf = (file: string): ReadonlySet<string> => changes.get(file) ?? new Set();

const tokenCharacter = /[\w!=<>&|+?.]/;

/** Returns a line with its change in brackets: `while (start ⟦< → <=⟧ end)`. */
export function formatChange({ original, changed }: Change): string {
  const shorter = Math.min(original.length, changed.length);
  let start = 0;
  while (start < shorter && original[start] === changed[start]) start++;
  let rest = 0;
  while (rest < shorter - start && original.at(-1 - rest) === changed.at(-1 - rest)) rest++;
  // Whole words and operators are easier to read.
  const isToken = (character: string | undefined): boolean => tokenCharacter.test(character ?? "");
  while (isToken(original[start - 1]) && (isToken(original[start]) || isToken(changed[start]))) start--;
  while (rest > 0 && isToken(original.at(-rest)) && isToken(original.at(-rest - 1) ?? changed.at(-rest - 1))) rest--;
  const middle = (text: string): string => text.slice(start, text.length - rest);
  const tail = original.slice(original.length - rest);
  return `${original.slice(0, start)}⟦${middle(original)} → ${middle(changed)}⟧${tail}`;
}
