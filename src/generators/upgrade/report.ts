import type { Command } from "../../core/index.ts";
import type { ChangelogEntry } from "./changelog.ts";
import { unifiedDiff } from "./diff.ts";
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
