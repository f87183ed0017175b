import { editDistance } from "./edit-distance.ts";

/**
 * Returns at most three names similar to `typed`, the most similar first.
 *
 * A name is similar if `typed` is its prefix, the last part of a dotted name, or within an edit distance of one third
 * of the name's length.
 */
export function suggest(typed: string, names: readonly string[]): string[] {
  const word = typed.toLowerCase();
  const score = (name: string): number => {
    if (name.split(/[.:]/).at(-1) === word) return 0;
    if (word.length > 1 && name.startsWith(word)) return 1;
    const steps = editDistance(word, name);
    return steps <= Math.max(1, Math.floor(name.length / 3)) ? steps : Infinity;
  };
  return names
    .map((name) => ({ name, score: score(name) }))
    .filter((candidate) => candidate.score < Infinity)
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map(({ name }) => name);
}
