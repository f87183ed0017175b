// Writes the software bill of materials (CycloneDX) of a packed package: node sbom.ts <folder of the package> <file>
//
// The versions are those that npm installs with the package at the time of the release. Development dependencies and optional
// peers are not part of it: nobody gets them by installing the package.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const [packageFolder = "", file = ""] = process.argv.slice(2);
if (packageFolder === "" || file === "") {
  console.error("Usage: node tools/release/sbom.ts <folder of the package> <file>");
  process.exit(2);
}

const temporary = mkdtempSync(join(tmpdir(), "limmat-sbom-"));
// npm names the main component after its folder.
const folder = join(temporary, basename(packageFolder));
try {
  mkdirSync(folder);
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as Record<string, unknown>;
  const { devDependencies: _, peerDependencies: __, peerDependenciesMeta: ___, ...installed } = manifest;
  writeFileSync(join(folder, "package.json"), JSON.stringify(installed));
  cpSync(join(packageFolder, "LICENSE"), join(folder, "LICENSE"));
  installFramework(installed);
  npm("install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund");
  const sbom = npm("sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "library");
  writeFileSync(resolve(file), JSON.stringify(JSON.parse(sbom, withoutLocalFiles), undefined, 2));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/** Leaves out references to local files: the tarball of the framework, which is not published yet. */
function withoutLocalFiles(key: string, value: unknown): unknown {
  if (key !== "externalReferences" || !Array.isArray(value)) return value;
  return value.filter(({ url }: { readonly url: string }) => !url.startsWith("file:"));
}

/** Takes the framework that `create-limmat` depends on from its tarball: this version is not published yet. */
function installFramework(manifest: Record<string, unknown>): void {
  const dependencies = (manifest["dependencies"] ?? {}) as Record<string, string>;
  const version = dependencies["limmat"];
  if (version === undefined) return;
  cpSync(join(packageFolder, `../limmat-${version}.tgz`), join(folder, `limmat-${version}.tgz`));
  const withTarball = { ...dependencies, limmat: `file:limmat-${version}.tgz` };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies: withTarball }));
}

function npm(...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
