import { diff } from "node:util";
import type { Command } from "../../core/index.ts";
import type { ChangelogEntry } from "./changelog.ts";
import type { UpgradePlan } from "./plan.ts";
import { changedFiles } from "./template-files.ts";

/** Prints what an upgrade changes: versions, changelog, template, and the differences if wanted. */
export function printPlan(plan: UpgradePlan, output: Command.Output, options: { readonly withDiffs: boolean }): void {
  const { from = "unknown version", to, changes, template } = plan;
  output.print(from === to ? `limmat ${to}` : `limmat ${from} → ${to}`);
  const ofKind = (kind: ChangelogEntry["kind"]): readonly ChangelogEntry[] =>
    changes.filter((entry) => entry.kind === kind);
  const [breaking, deprecated] = [ofKind("breaking"), ofKind("deprecated")];
  printSection("Breaking changes", breaking.map(formatEntry), output);
  printSection("Deprecated", deprecated.map(formatEntry), output);
  const others = changes.length - breaking.length - deprecated.length;
  if (others > 0)
    output.print(`\n${others} other ${others === 1 ? "change" : "changes"}: see CHANGELOG.md of the package.`);
  const advice: Readonly<Record<string, string>> = {
    conflict: "  (you and the template changed it, and git cannot merge the changes)",
    obsolete: "  (no longer in the template; kept)",
  };
  const templateLines = template.map(({ path, kind }) => `${kind.padEnd(9)} ${path}${advice[kind] ?? ""}`);
  printSection("Files of the template", templateLines, output);
  if (plan.templateNote !== undefined) output.note(plan.templateNote);
  printDiffs(plan, output, options.withDiffs);
}

function printSection(title: string, lines: readonly string[], output: Command.Output): void {
  if (lines.length === 0) return;
  output.print(`\n${title}:`);
  for (const line of lines) output.print(`  ${line}`);
}

/** Returns an entry without the marks of Markdown. */
const formatEntry = ({ topic, text }: ChangelogEntry): string =>
  `${topic}: ${text}`.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");

/** Prints the differences of all changed files, or only those that the user has to merge. Env files contain secrets. */
function printDiffs({ template }: UpgradePlan, output: Command.Output, withAll: boolean): void {
  for (const { path, kind, before, target, text } of template) {
    if (/^\.env(?:\.|$)/.test(path)) continue;
    if (kind === "conflict" || (withAll && text !== undefined))
      output.print(`\n${unifiedDiff(path, before, text ?? target).trimEnd()}`);
  }
}

/** Prints what to do next. */
export function printResult(plan: UpgradePlan, output: Command.Output, isWritten: boolean): void {
  const conflicts = plan.template.filter(({ kind }) => kind === "conflict");
  const files = changedFiles(plan.template);
  if (files.length === 0 && plan.record === undefined && conflicts.length === 0) {
    output.note("\nNo file needs a change.");
  } else if (!isWritten) {
    output.note("\nDry run: no file was changed. Apply the changes with: npx limmat upgrade --write");
  } else {
    output.note(files.length === 1 ? "\n1 file was changed." : `\n${files.length} files were changed.`);
    for (const { path } of conflicts) {
      output.note(`${path} was changed by you. Copy what you need from ${path}.new, and delete that file.`);
    }
    const install = files.some(({ path }) => path === "package.json") ? ["npm install"] : [];
    const steps = [...install, "npm run format", "npm run check", "npm test"];
    output.note(`Next: ${steps.join(", ")}. Git shows the changes and takes them back.`);
  }
}

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
