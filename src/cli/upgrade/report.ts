import type { Command } from "../../core/index.ts";
import type { ChangelogEntry } from "./changelog.ts";
import { unifiedDiff } from "./diff.ts";
import type { UpgradePlan } from "./plan.ts";
import type { Finding } from "./rename.ts";

/** Maximum number of errors of the type checker in a report. */
const maxTypeProblems = 20;

/** Prints what an upgrade changes: versions, changelog, renamed names, template, and the differences if wanted. */
export function printPlan(plan: UpgradePlan, output: Command.Output, options: { readonly withDiffs: boolean }): void {
  const { from = "unknown version", to, changes, template } = plan;
  output.print(from === to ? `limmat ${to}` : `limmat ${from} → ${to}`);
  const ofKind = (kind: ChangelogEntry["kind"]): readonly ChangelogEntry[] =>
    changes.filter((entry) => entry.kind === kind);
  const [breaking, deprecated] = [ofKind("breaking"), ofKind("deprecated")];
  printSection("Breaking changes", breaking.map(formatEntry), output);
  printSection("Deprecated", deprecated.map(formatEntry), output);
  const others = changes.length - breaking.length - deprecated.length;
  if (others > 0) output.print(`\n${others} other changes: see CHANGELOG.md of the package.`);
  printSection("Renamed", plan.renamed.map(formatFinding), output);
  printSection("To be replaced by you", plan.remaining.map(formatFinding), output);
  const advice: Readonly<Record<string, string>> = {
    conflict: "  (you and the template changed it, and git cannot merge the changes)",
    obsolete: "  (no longer in the template; kept)",
  };
  const templateLines = template.map(({ path, kind }) => `${kind.padEnd(9)} ${path}${advice[kind] ?? ""}`);
  printSection("Files of the template", templateLines, output);
  if (plan.templateNote !== undefined) output.note(plan.templateNote);
  printTypeProblems(plan, output);
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

const formatFinding = ({ path, line, message }: Finding): string => `${path}:${line}  ${message}`;

function printTypeProblems({ typeProblems, typeFailure }: UpgradePlan, output: Command.Output): void {
  if (typeProblems === undefined) {
    output.note("TypeScript or tsconfig.json was not found: properties and options with new names were not searched.");
    return;
  }
  if (typeFailure !== undefined) {
    output.note(
      `The type checker has not checked all files, so that old names of properties may remain: ${typeFailure}`,
    );
  }
  const lines = typeProblems
    .slice(0, maxTypeProblems)
    .map(({ path, line, message }) => `${path}:${line}  ${message.split("\n")[0] ?? ""}`);
  const rest = typeProblems.length - lines.length;
  printSection("Type errors after the upgrade", [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])], output);
}

/** Prints the differences of all changed files, or only those that the user has to merge. Env files contain secrets. */
function printDiffs({ files, template }: UpgradePlan, output: Command.Output, withAll: boolean): void {
  const isSecret = (path: string): boolean => /^\.env(?:\.|$)/.test(path);
  const diffs = [
    ...(withAll ? [...files].map(([path, { before, text }]) => ({ path, before, text })) : []),
    ...template
      .filter(({ kind }) => kind === "conflict")
      .map(({ path, before, target }) => ({ path, before, text: target })),
  ];
  for (const { path, before, text } of diffs.filter((diff) => !isSecret(diff.path))) {
    output.print(`\n${unifiedDiff(path, before, text).trimEnd()}`);
  }
}

/** Prints what to do next. `written` is `undefined` if no file was written; `ignored` are paths that git does not store. */
export function printResult(
  plan: UpgradePlan,
  output: Command.Output,
  written: { readonly ignored: readonly string[] } | undefined,
): void {
  const conflicts = plan.template.filter(({ kind }) => kind === "conflict");
  if (plan.files.size === 0 && plan.record === undefined && conflicts.length === 0) {
    output.note("\nNo file needs a change.");
  } else if (written === undefined) {
    output.note("\nDry run: no file was changed. Apply the changes with: npx limmat upgrade --write");
  } else {
    const { size } = plan.files;
    output.note(size === 1 ? "\n1 file was changed." : `\n${size} files were changed.`);
    for (const { path } of conflicts) {
      output.note(`${path} was changed by you. Copy what you need from ${path}.new, and delete that file.`);
    }
    const steps = [
      ...(plan.files.has("package.json") ? ["npm install"] : []),
      "npm run format",
      "npm run check",
      "npm test",
    ];
    output.note(`Next: ${steps.join(", ")}. Git shows the changes and takes them back.`);
    if (written.ignored.length > 0) {
      output.note(
        `Git does not store ${written.ignored.join(", ")}: to undo the upgrade, rename the keys there yourself.`,
      );
    }
  }
}
