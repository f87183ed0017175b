import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import { frameworkVersion, projectRoot, recordPath } from "../../project/index.ts";
import { errors } from "../errors.ts";
import { planUpgrade, type UpgradePlan } from "./plan.ts";
import { printPlan, printResult } from "./report.ts";
import { changedFiles } from "./template-files.ts";

/** Runs the command `upgrade`. */
export function upgrade(args: readonly string[], output: Command.Output): Command.Done {
  const {
    write = false,
    force = false,
    from,
  } = parseArgs({
    args: [...args],
    options: { write: { type: "boolean" }, force: { type: "boolean" }, from: { type: "string" } },
  }).values;
  const root = projectRoot();
  const plan = planUpgrade(root, { from, to: frameworkVersion() });
  const hasConflicts = plan.template.some(({ kind }) => kind === "conflict");
  if (write && !force && (changedFiles(plan.template).length > 0 || hasConflicts)) requireCleanTree(root);
  printPlan(plan, output, { withDiffs: !write });
  if (write) writePlan(root, plan);
  printResult(plan, output, write);
  return Command.done;
}

function writePlan(root: string, plan: UpgradePlan): void {
  const conflicts = plan.template.filter(({ kind }) => kind === "conflict");
  const files = [
    ...changedFiles(plan.template).map(({ path, text }) => [path, text] as const),
    ...conflicts.map(({ path, target }) => [`${path}.new`, target] as const),
    ...(plan.record === undefined ? [] : [[recordPath, plan.record] as const]),
  ];
  for (const [path, text] of files) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Files that the installation of another version changes. */
const installedFiles =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock)$/;

/**
 * Checks that git can restore the project.
 *
 * @throws E_UPGRADE_UNSAFE without a repository, and for changes that are not committed. Changes of the files that
 *   `npm install` writes are allowed.
 */
function requireCleanTree(root: string): void {
  const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--", "."];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw errors.E_UPGRADE_UNSAFE("the project is not in a git repository");
  const changed = stdout
    .split("\0")
    .map((entry) => entry.slice(3))
    .filter((path) => path !== "" && !installedFiles.test(basename(path)));
  if (changed.length === 0) return;
  const list = changed.slice(0, 5).join(", ") + (changed.length > 5 ? ` and ${changed.length - 5} more` : "");
  throw errors.E_UPGRADE_UNSAFE(`these files have changes that are not committed: ${list}`);
}
