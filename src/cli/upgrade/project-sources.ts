import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Folders of a project without source code. Folders whose name begins with a dot are left out, too. */
const otherFolders = new Set(["node_modules", "public", "logs", "tmp", "storage", "vendor", "dist", "coverage"]);

const sourceName = /\.[cm]?[jt]sx?$/;

/**
 * Returns the paths of the programs of a project, with `/` as separator. Programs that git ignores are left out: they are built
 * from others, and git could not restore them.
 */
export function listSources(root: string): readonly string[] {
  const paths = listFiles(root, sourceName);
  const ignored = new Set(listIgnored(root, paths));
  return paths.filter((path) => !ignored.has(path));
}

function listFiles(root: string, pattern: RegExp, folder = ""): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry): readonly string[] => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return entry.isFile() && pattern.test(entry.name) ? [path] : [];
      return entry.name.startsWith(".") || otherFolders.has(entry.name) ? [] : listFiles(root, pattern, path);
    })
    .toSorted();
}

/** Returns those of some paths that git ignores. Without git or a repository there are none. */
export function listIgnored(root: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const input = `${paths.join("\0")}\0`;
  const { stdout } = spawnSync("git", ["check-ignore", "-z", "--stdin"], { cwd: root, encoding: "utf8", input });
  return (stdout ?? "").split("\0").filter((path) => path !== "");
}

/** Copy of the programs of a project in a temporary folder, for the type checker. Disposal deletes it. */
export interface WorkingCopy extends Disposable {
  readonly folder: string;
  readonly write: (path: string, text: string) => void;
}

/** Copies the programs and JSON files of a project. The copy shares its packages. */
export function copyProject(root: string): WorkingCopy {
  const folder = mkdtempSync(join(tmpdir(), "limmat-upgrade-"));
  for (const path of listFiles(root, /\.(?:[cm]?[jt]sx?|json)$/)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  const packages = findPackages(root);
  if (packages !== undefined) symlinkSync(packages, join(folder, "node_modules"), "junction");
  return {
    folder,
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the nearest `node_modules` folder with the framework. */
function findPackages(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules/limmat"))) return join(folder, "node_modules");
    if (folder === dirname(folder)) return undefined;
  }
}
