// Builds limmat and the packages beside it, and packs them as for publication: npm run package -- [<folder>] [--repository=<url>]
//
// The manifests in the repository have no version, so that npm packs and publishes no package from there: without `dist`
// a package is useless, and `ignore-scripts` keeps npm from building it. The version is the newest one of CHANGELOG.md.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseChangelog } from "../src/generators/upgrade/changelog.ts";

const root = resolve(import.meta.dirname, "..");

/** Options of `packPackages`. */
export interface PackOptions {
  /** Folder for the tarballs. Folders of the packages' names contain what they were made of. */
  readonly folder: string;
  /** URL of the repository, which npm compares with the workflow that publishes. Default: none. */
  readonly repository?: string | undefined;
}

/** Paths of the tarballs. */
export interface PackedPackages {
  readonly version: string;
  readonly limmat: string;
  readonly createLimmat: string;
  /** Those of the folder `packages`. */
  readonly others: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Names of the packages in the folder `packages`. */
export const otherPackages: readonly string[] = globSync("packages/*", { cwd: root })
  .map((path) => basename(path))
  .sort();

/** Builds and packs all packages. Throws an error if a part of one is missing. */
export function packPackages({ folder, repository }: PackOptions): PackedPackages {
  const version = newestVersion();
  const limmat = stageLimmat(join(folder, "limmat"), version, repository);
  const createLimmat = stageCreateLimmat(join(folder, "create-limmat"), version, repository);
  const others = otherPackages.map((name) =>
    pack(stageOther(name, join(folder, name), version, repository), folder, version),
  );
  return { version, limmat: pack(limmat, folder, version), createLimmat: pack(createLimmat, folder, version), others };
}

/** Returns the newest version of the changelog. */
export function newestVersion(): string {
  const sections = parseChangelog(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
  const version = sections.find((section) => section.version !== undefined)?.version;
  if (version === undefined) throw new Error("CHANGELOG.md has no section with a version");
  return version;
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;

/** Returns a folder with all parts of the framework. */
function stageLimmat(stage: string, version: string, repository: string | undefined): string {
  // Scripts and workspaces are those of the repository, and its sources are not published.
  const { scripts: _, workspaces: __, private: ___, exports, ...manifest } = readManifest("package.json");
  const published = publishedExports(exports);
  const parts = ["README.md", "LICENSE", ...manifest.files.filter((name) => name !== "dist")];
  createStage(stage, parts);
  execFileSync(process.execPath, [join(root, "tools/build.ts"), join(stage, "dist")], { cwd: root, stdio: "inherit" });
  writeManifest(stage, { ...manifest, exports: published }, version, repository);
  requireParts(stage, [...parts, ...manifest.files, ...Object.values(manifest.bin ?? {}), ...targetsOf(published)]);
  return stage;
}

/** Returns a folder with all parts of `create-limmat`, which depends on the framework of the same version. */
function stageCreateLimmat(stage: string, version: string, repository: string | undefined): string {
  const { private: _, ...manifest } = readManifest("create-limmat/package.json");
  const parts = ["README.md", ...manifest.files];
  createStage(stage, ["LICENSE"]);
  for (const name of parts) cpSync(join(root, "create-limmat", name), join(stage, name));
  writeManifest(stage, { ...manifest, dependencies: { limmat: version } }, version, repository);
  requireParts(stage, [...parts, ...Object.values(manifest.bin ?? {})]);
  return stage;
}

/** Returns a folder with all parts of a package of the folder `packages`, which runs beside the framework of the same version. */
function stageOther(name: string, stage: string, version: string, repository: string | undefined): string {
  const path = join("packages", name);
  const { private: _, dependencies, exports, ...manifest } = readManifest(join(path, "package.json"));
  const { limmat: __, ...others } = dependencies;
  createStage(stage, ["LICENSE"]);
  for (const part of ["README.md", ...manifest.files.filter((file) => file !== "dist")])
    cpSync(join(root, path, part), join(stage, part), { recursive: true });
  const build = [join(root, "tools/build-package.ts"), join(root, path, "src"), join(stage, "dist")];
  execFileSync(process.execPath, build, { cwd: root, stdio: "inherit" });
  const published = publishedExports(exports);
  const links = { dependencies: others, peerDependencies: { limmat: version } };
  writeManifest(stage, { ...manifest, exports: published, ...links }, version, repository);
  requireParts(stage, [...manifest.files, ...Object.values(manifest.bin ?? {}), ...targetsOf(published)]);
  return stage;
}

/** Returns the entry points without those of the sources. */
function publishedExports(exports: Manifest["exports"]): Manifest["exports"] {
  return Object.fromEntries(
    Object.entries(exports).map(([name, target]) => {
      if (typeof target === "string") return [name, target];
      const { "@limmat/source": _, ...conditions } = target;
      return [name, conditions];
    }),
  );
}

const targetsOf = (exports: Manifest["exports"]): readonly string[] =>
  Object.values(exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));

function createStage(stage: string, parts: readonly string[]): void {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  // Of the documentation, only the text is published.
  const isPublished = (path: string): boolean => !/[\\/]docs[\\/].*\.(?:png|svg)$/.test(path.slice(root.length));
  for (const name of parts) cpSync(join(root, name), join(stage, name), { recursive: true, filter: isPublished });
}

function writeManifest(
  stage: string,
  { name, ...manifest }: Manifest,
  version: string,
  repository: string | undefined,
): void {
  const source =
    repository === undefined
      ? {}
      : { homepage: `${repository}#readme`, repository: { type: "git", url: `git+${repository}.git` } };
  const text = JSON.stringify({ name, version, ...manifest, ...source }, undefined, 2);
  writeFileSync(join(stage, "package.json"), `${text}\n`);
}

function requireParts(stage: string, parts: readonly string[]): void {
  const missing = parts.filter((name) => !existsSync(join(stage, name)));
  if (missing.length > 0) throw new Error(`${stage} lacks ${missing.join(", ")}`);
}

/** Packs a folder, and returns the path of the tarball. */
function pack(stage: string, folder: string, version: string): string {
  // npm passes its own settings in `npm_*` variables. They belong to the calling project.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)));
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", resolve(folder)];
  execFileSync("npm", args, { cwd: stage, env, stdio: "ignore", shell: process.platform === "win32" });
  const { name } = JSON.parse(readFileSync(join(stage, "package.json"), "utf8")) as Manifest;
  const tarball = join(folder, `${name}-${version}.tgz`);
  if (!existsSync(tarball)) throw new Error(`npm pack did not write ${tarball}`);
  return tarball;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { repository: { type: "string" } },
  });
  // npm runs scripts in the folder of the package. Paths in the arguments are relative to the folder of the npm call.
  const base = process.env["INIT_CWD"] ?? process.cwd();
  const folder = positionals[0] === undefined ? join(root, "build/package") : resolve(base, positionals[0]);
  const { limmat, createLimmat, others } = packPackages({ folder, repository: values.repository });
  console.log([limmat, createLimmat, ...others].join("\n"));
}
