import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Versions of a text for `mergeText`. */
export interface TextVersions {
  /** Text that both others are changes of. */
  readonly base: string;
  /** Text with the changes of the user. */
  readonly current: string;
  /** Text with the changes to be made. */
  readonly target: string;
}

/**
 * Merges two changes of a text, line by line. Returns `undefined` if both change the same lines, or if a merge is necessary
 * and git is not installed.
 */
export function mergeText({ base, current, target }: TextVersions): string | undefined {
  if (current === base || current === target) return target;
  if (base === target) return current;
  const folder = mkdtempSync(join(tmpdir(), "limmat-merge-"));
  try {
    const paths = Object.entries({ current, base, target }).map(([name, text]) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    });
    const { status, stdout } = spawnSync("git", ["merge-file", "-p", "-q", ...paths], { encoding: "utf8" });
    return status === 0 ? stdout : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
