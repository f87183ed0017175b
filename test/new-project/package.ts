import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { newestVersion, otherPackages, packPackages } from "../../tools/package.ts";
import { makeOnce } from "../make-once.ts";
import { root } from "../sources.ts";

/** The packages as they are published, and a temporary folder. */
export interface PackedFramework extends Disposable {
  readonly folder: string;
  readonly version: string;
  /** Tarball of `limmat`. */
  readonly tarball: string;
  /** Tarball of `create-limmat`. */
  readonly createLimmat: string;
  /** Tarballs of the other packages, by name. */
  readonly others: ReadonlyMap<string, string>;
}

/** Builds and packs all packages, once in a run of all tests. */
export function packFramework(): PackedFramework {
  const packed = makeOnce("package", (target) => void packPackages({ folder: target }));
  const folder = mkdtempSync(join(tmpdir(), "limmat-packed-"));
  const version = newestVersion();
  const dispose = (): void => rmSync(folder, { recursive: true, force: true });
  return {
    folder,
    version,
    tarball: join(packed, `limmat-${version}.tgz`),
    createLimmat: join(packed, `create-limmat-${version}.tgz`),
    others: new Map(otherPackages.map((name) => [name, join(packed, `${name}-${version}.tgz`)])),
    [Symbol.dispose]: dispose,
  };
}

/** Extracts a package from its tarball to `node_modules` of a project. */
export function extractPackage(project: string, name: string, tarball: string | undefined): void {
  const target = join(project, "node_modules", name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball ?? "", "--strip-components=1", "-C", target]);
}

/** Installs the dependencies of a project offline: the framework from its tarball, the others from this repository. */
export function install(project: string, tarball: string): void {
  const target = join(project, "node_modules");
  const installed = join(root, "node_modules");
  extractPackage(project, "limmat", tarball);
  for (const name of readdirSync(installed)) {
    if (/^(?:\.|@?limmat)/.test(name)) continue;
    symlinkSync(join(installed, name), join(target, name));
  }
  mkdirSync(join(target, ".bin"));
  for (const name of readdirSync(join(installed, ".bin"))) {
    if (!name.startsWith("limmat")) symlinkSync(join(installed, ".bin", name), join(target, ".bin", name));
  }
  symlinkSync("../limmat/bin/limmat.mjs", join(target, ".bin/limmat"));
}

/** Runs npm as in a new shell, without the npm variables of this repository. */
export function npm(args: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}): string {
  return run("npm", args, cwd, variables);
}

/** Runs the command `limmat` of a project, as its script `app` does, without the start of npm, which takes as long as the command. */
export function runLimmat(
  project: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): string {
  return run(process.execPath, [join(project, "node_modules/limmat/bin/limmat.mjs"), ...args], project, variables);
}

const timeoutMs = 600_000;

/** Runs a program and returns its output. If it fails, the error contains the output. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): string {
  try {
    return execFileSync(program, args, {
      cwd,
      env: shellEnvironment(variables),
      encoding: "utf8",
      stdio: "pipe",
      timeout: timeoutMs,
    });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${basename(program)} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Returns the environment variables of a new shell. */
export function shellEnvironment(variables: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const testVariables = /^(?:npm_|NODE_(?:TEST|OPTIONS|V8)|FRAMEWORK_|DATABASE_)/i;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !testVariables.test(key))),
    ...variables,
  };
}
