import { diff } from "node:util";

/** Line of a comparison. */
interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Unchanged lines around a change. */
const contextLines = 3;

/** Maximum number of pairs of lines to compare. Longer texts are shown as a replacement of all lines. */
const maxComparisons = 4_000_000;

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

/** Compares two lists of lines. */
function compareLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const entries: readonly (readonly [operation: number, text: string])[] =
    before.length * after.length > maxComparisons
      ? [...before.map((text) => [1, text] as const), ...after.map((text) => [-1, text] as const)]
      : diff(before, after);
  return entries.map(([operation, text]) => ({ sign: operation === 0 ? " " : operation > 0 ? "-" : "+", text }));
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
