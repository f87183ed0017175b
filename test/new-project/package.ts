import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../sources.ts";

/** The framework, packed as it is published, in a temporary folder, because other tests build at the same time. */
export interface PackedFramework extends Disposable {
  readonly folder: string;
  readonly tarball: string;
}

/** Builds and packs the framework. */
export function packFramework(): PackedFramework {
  const folder = mkdtempSync(join(tmpdir(), "limmat-packed-"));
  const source = join(folder, "source");
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  mkdirSync(source);
  for (const name of ["package.json", "README.md", "LICENSE", ...files].filter((file) => file !== "dist")) {
    cpSync(join(root, name), join(source, name), { recursive: true });
  }
  execFileSync(process.execPath, [join(root, "tools/build.ts"), join(source, "dist")], { stdio: "inherit" });
  npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], source);
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  const dispose = (): void => rmSync(folder, { recursive: true, force: true });
  return { folder, tarball: join(folder, name), [Symbol.dispose]: dispose };
}

/** Installs the dependencies of a project offline: the framework from its tarball, the others from this repository. */
export function install(project: string, tarball: string): void {
  const target = join(project, "node_modules");
  const installed = join(root, "node_modules");
  mkdirSync(join(target, "limmat"), { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(target, "limmat")]);
  for (const name of readdirSync(installed)) {
    if (name.startsWith(".") || name === "limmat" || name === "@limmat") continue;
    symlinkSync(join(installed, name), join(target, name));
  }
  mkdirSync(join(target, ".bin"));
  for (const name of readdirSync(join(installed, ".bin"))) {
    if (name !== "limmat") symlinkSync(join(installed, ".bin", name), join(target, ".bin", name));
  }
  symlinkSync("../limmat/bin/limmat.mjs", join(target, ".bin/limmat"));
}

/** Runs npm as in a new shell, without the npm variables of this repository. */
export function npm(args: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}): string {
  return run("npm", args, cwd, variables);
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
