/**
 * The names that someone who typed `typed` may have meant, the likeliest first, at most three.
 *
 * Counts as near: few letters added, left out, replaced or swapped (one in three at most); the beginning of a name; the
 * last part of a dotted name.
 */
export function suggest(typed: string, names: readonly string[]): string[] {
  const word = typed.toLowerCase();
  const score = (name: string): number => {
    if (name.split(/[.:]/).at(-1) === word) return 0;
    if (word.length > 1 && name.startsWith(word)) return 1;
    const steps = distance(word, name);
    return steps <= Math.max(1, Math.floor(name.length / 3)) ? steps : Infinity;
  };
  return names
    .map((name) => ({ name, score: score(name) }))
    .filter((candidate) => candidate.score < Infinity)
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * Steps from one word to the other, each a letter added, left out or replaced, or two swapped: the optimal
 * string alignment distance.
 */
export function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let steps = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        steps = Math.min(steps, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(steps);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
