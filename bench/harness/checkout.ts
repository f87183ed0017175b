import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Version of limmat, built in a folder. */
export interface Checkout {
  readonly folder: string;
  /** Commit, or the path of a folder. */
  readonly name: string;
  /** Deletes the folder if it is a copy. */
  remove(): void;
}

const repository = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Builds a version of limmat: a revision of this repository in a temporary folder, or a folder as it is.
 *
 * @throws Error for an unknown revision and for a failed build
 */
export function checkOut(version: string): Checkout {
  const isFolder = existsSync(join(version, "package.json"));
  // The branch may move during the build.
  const commit = isFolder ? "" : git("rev-parse", "--verify", `${version}^{commit}`);
  const folder = isFolder ? resolve(version) : copyOf(commit);
  const remove = isFolder ? () => {} : () => rmSync(folder, { recursive: true, force: true });
  try {
    if (!existsSync(join(folder, "node_modules"))) install(folder);
    run("npm", ["run", "--silent", "build"], folder);
  } catch (cause) {
    remove();
    throw cause;
  }
  return { folder, name: isFolder ? folder : git("rev-parse", "--short", commit), remove };
}

function copyOf(revision: string): string {
  const archive = execFileSync("git", ["archive", revision], { cwd: repository, maxBuffer: 2 ** 30 });
  const folder = mkdtempSync(join(tmpdir(), "limmat-bench-"));
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  return folder;
}

/** Uses the packages of this repository if the version has the same ones, and installs its own otherwise. */
function install(folder: string): void {
  const lockOf = (root: string): string => readFileSync(join(root, "package-lock.json"), "utf8");
  if (lockOf(folder) === lockOf(repository))
    symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  else run("npm", ["ci", "--silent"], folder);
}

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}
