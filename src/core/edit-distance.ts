/**
 * Returns the optimal string alignment distance of two words: the number of insertions, deletions, substitutions and
 * transpositions of adjacent letters.
 */
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
