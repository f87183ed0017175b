import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { errors } from "./errors.ts";

const execute = promisify(execFile);

/** Copy of the files of a release in a temporary folder of this machine. */
export interface PackedSource extends AsyncDisposable {
  readonly folder: string;
  /** First 10 characters of the commit, with `-dirty` if there are other changes. */
  readonly commit: string;
}

/** Options of `packSource`. */
export interface PackOptions {
  /** True if files that are not committed are part of the release. */
  readonly isDirty: boolean;
  /** Further files, relative to the project. A missing one is left out. */
  readonly include: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Copies the committed files of a project, without those that git ignores.
 *
 * @throws E_DEPLOY_GIT if the project is not under version control, or has changes that are not committed.
 */
export async function packSource(root: string, { isDirty, include, signal }: PackOptions): Promise<PackedSource> {
  const git = async (...args: readonly string[]): Promise<string> => {
    try {
      const { stdout } = await execute("git", [...args], { cwd: root, maxBuffer: 64 * 1024 * 1024, signal });
      return stdout;
    } catch (cause) {
      signal.throwIfAborted();
      throw errors.E_DEPLOY_GIT(gitProblem(cause)).causedBy(cause);
    }
  };
  const head = (await git("rev-parse", "--short=10", "HEAD")).trim();
  const changes = (await git("status", "--porcelain", "--", ".")).split("\n").filter((line) => line !== "");
  if (changes.length > 0 && !isDirty) throw errors.E_DEPLOY_GIT(changesProblem(changes));

  const folder = await mkdtemp(join(tmpdir(), "limmat-release-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (changes.length === 0)
      await copyThroughTar(["git", "archive", "--format=tar", "HEAD"], { root, folder, signal });
    else {
      const listed = await git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".");
      const names = listed.split("\0").filter((name) => name !== "" && existsSync(join(root, name)));
      await copyThroughTar(["tar", "-cf", "-", "--null", "-T", "-"], { root, folder, signal, input: names.join("\0") });
    }
    for (const name of include) {
      const source = join(root, name);
      if (existsSync(source)) await cp(source, join(folder, name), { recursive: true, force: true });
    }
  } catch (error) {
    await remove();
    signal.throwIfAborted();
    throw error;
  }
  return { folder, commit: changes.length === 0 ? head : `${head}-dirty`, [Symbol.asyncDispose]: remove };
}

function gitProblem(cause: unknown): string {
  const { stderr = "", code } = cause as { readonly stderr?: string; readonly code?: unknown };
  if (code === "ENOENT") return "git is not installed";
  if (/not a git repository/i.test(stderr))
    return 'it is not under version control. Run "git init", and commit the files';
  if (/unknown revision|ambiguous argument|Needed a single revision/i.test(stderr)) return "it has no commit yet";
  return stderr.trim().split("\n").at(-1) ?? (cause as Error).message;
}

function changesProblem(changes: readonly string[]): string {
  const names = changes.map((line) => line.slice(3));
  const listed = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return `these files are not committed: ${listed.join(", ")}. Commit them, or deploy them with --dirty`;
}

interface CopyOptions {
  readonly root: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Standard input of the program. Default: empty. */
  readonly input?: string;
}

/** Extracts the archive that a program prints. */
async function copyThroughTar(
  program: readonly string[],
  { root, folder, signal, input = "" }: CopyOptions,
): Promise<void> {
  const [name = "", ...args] = program;
  // Keeps bsdtar of macOS from adding files with extended attributes.
  const env = { ...process.env, COPYFILE_DISABLE: "1" };
  const packing = spawn(name, args, { cwd: root, env, stdio: ["pipe", "pipe", "pipe"], signal });
  const extracting = spawn("tar", ["-xf", "-", "-C", folder], { stdio: ["pipe", "ignore", "pipe"], signal });
  let stderr = "";
  for (const { stderr: stream } of [packing, extracting])
    stream.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  packing.stdin.on("error", () => {});
  packing.stdin.end(input);
  extracting.stdin.on("error", () => {});
  packing.stdout.pipe(extracting.stdin);
  const codes = await Promise.all([packing, extracting].map((child) => exitCodeOf(child)));
  if (codes.some((code) => code !== 0)) throw errors.E_DEPLOY_GIT(stderr.trim() || `${name} failed`);
}

const exitCodeOf = (child: ReturnType<typeof spawn>): Promise<number | null> =>
  new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));

/** Starts to pack a folder as a compressed archive. */
export function packFolder(folder: string, signal: AbortSignal): Readable {
  const env = { ...process.env, COPYFILE_DISABLE: "1" };
  const child = spawn("tar", ["-czf", "-", "-C", folder, "."], { env, stdio: ["ignore", "pipe", "ignore"], signal });
  child.once("error", (error) => child.stdout.destroy(error));
  return child.stdout;
}

/**
 * Returns the environment variables of a program without those in which npm passes its settings: those of the script that
 * runs this command are not meant for the release.
 */
export const environmentWithoutNpm = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)));

/** Processor and C library that packages are installed for. */
export interface Platform {
  readonly cpu: string;
  readonly libc: "glibc" | "musl";
}

/**
 * Installs the packages of a copied project for a host that has no npm. Nothing runs at installation, so that packages of
 * another platform can be installed.
 *
 * @throws E_DEPLOY_GIT
 */
export async function installFor(folder: string, { cpu, libc }: Platform, signal: AbortSignal): Promise<void> {
  const args = [
    "ci",
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--os=linux",
    `--cpu=${cpu}`,
    `--libc=${libc}`,
  ];
  const env = environmentWithoutNpm();
  // A folder named "bin" beside this Node contains the npm that belongs to it, if there is one.
  env["PATH"] = `${process.env["PATH"] ?? ""}:${dirname(process.execPath)}`;
  try {
    await execute("npm", args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const { stderr = "" } = cause as { readonly stderr?: string };
    throw errors.E_DEPLOY_GIT(`npm ci failed: ${stderr.trim() || (cause as Error).message}`).causedBy(cause);
  }
}
