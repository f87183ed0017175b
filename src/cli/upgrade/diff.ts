/** Line of a comparison. */
interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Unchanged lines around a change. */
const contextLines = 3;

/** Maximum number of table cells of a comparison. Larger changes are shown as a replacement of all lines. */
const maxCells = 4_000_000;

/** Returns the difference of two texts as a unified diff, or an empty text if they are equal. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  if (before === after) return "";
  const lines = compareLines(before === undefined ? [] : splitLines(before), splitLines(after));
  return [`--- ${before === undefined ? "/dev/null" : path}`, `+++ ${path}`, ...hunks(lines), ""].join("\n");
}

function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Compares two lists of lines by their longest common subsequence. */
function compareLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const unchanged = (text: string): DiffLine => ({ sign: " ", text });
  return [
    ...before.slice(0, start).map(unchanged),
    ...compareChanged(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(unchanged),
  ];
}

function compareChanged(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > maxCells) {
    return [
      ...before.map((text): DiffLine => ({ sign: "-", text })),
      ...after.map((text): DiffLine => ({ sign: "+", text })),
    ];
  }
  // Cell (i, j) is the length of the longest common subsequence of `before` from i and `after` from j.
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, current] = [before[i], after[j]];
    if (old !== undefined && old === current) {
      lines.push({ sign: " ", text: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (current === undefined || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push({ sign: "-", text: old });
      i += 1;
    } else {
      lines.push({ sign: "+", text: current ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** Returns the changed parts with the lines around them. */
function hunks(lines: readonly DiffLine[]): readonly string[] {
  const changes = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  const ranges: { first: number; last: number }[] = [];
  for (const index of changes) {
    const range = ranges.at(-1);
    if (range !== undefined && index - range.last <= 2 * contextLines) range.last = index;
    else ranges.push({ first: index, last: index });
  }
  return ranges.flatMap(({ first, last }) => {
    const start = Math.max(0, first - contextLines);
    const hunk = lines.slice(start, last + contextLines + 1);
    const count = (list: readonly DiffLine[], sign: "-" | "+"): number =>
      list.filter((line) => line.sign === " " || line.sign === sign).length;
    const range = (sign: "-" | "+"): string => {
      const length = count(hunk, sign);
      return `${count(lines.slice(0, start), sign) + (length === 0 ? 0 : 1)},${length}`;
    };
    return [`@@ -${range("-")} +${range("+")} @@`, ...hunk.map(({ sign, text }) => sign + text)];
  });
}
