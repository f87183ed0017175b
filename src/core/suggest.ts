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

/** Returns the optimal string alignment distance of two words. A transposition of adjacent letters counts as one. */
export function editDistance(from: string, to: string): number {
  let rowBeforePrevious: number[] = [];
  let previousRow = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const currentRow = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let steps = Math.min(
        (previousRow[column] ?? 0) + 1,
        (currentRow[column - 1] ?? 0) + 1,
        (previousRow[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        steps = Math.min(steps, (rowBeforePrevious[column - 2] ?? 0) + 1);
      }
      currentRow.push(steps);
    }
    [rowBeforePrevious, previousRow] = [previousRow, currentRow];
  }
  return previousRow[to.length] ?? 0;
}
