import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Contestant } from "../contestants/contestants.ts";
import { limmatFolder as root } from "./limmat.ts";

/** Packages that a user of a contestant installs for a site with forms, sessions and views, without the database driver. */
export interface Footprint {
  readonly contestant: string;
  readonly host: Contestant["host"];
  /** Packages that the user installs by name, with their versions. */
  readonly versions: Readonly<Record<string, string>>;
  /** Number of all installed packages. */
  readonly packages: number;
  readonly bytes: number;
}

interface Manifest {
  readonly name: string;
  /** Absent in this repository, whose version is in the changelog. */
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const bench = fileURLToPath(new URL("../", import.meta.url));

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Returns the newest version of the changelog of a package. */
const changelogVersion = (folder: string): string =>
  /^## (\d+\.\d+\.\d+)/m.exec(readFileSync(join(folder, "CHANGELOG.md"), "utf8"))?.[1] ?? "unreleased";

/** Follows the dependencies of a contestant's packages through the installed tree, as Node resolves them. */
export function footprint({ name, host, packages }: Contestant): Footprint {
  const found = new Map<string, number>();
  const versions: Record<string, string> = {};
  for (const wanted of packages) {
    const folder = wanted === "." ? root : folderOf(wanted, bench);
    if (folder === undefined) throw new Error(`${wanted} is not installed`);
    const { name: packageName, version } = manifest(folder);
    versions[packageName] = version ?? changelogVersion(folder);
    follow(folder, found);
  }
  const bytes = [...found.values()].reduce((sum, packageBytes) => sum + packageBytes, 0);
  return { contestant: name, host, versions, packages: found.size, bytes };
}

/** Driver of the database. It is not counted, because every contestant needs it. */
const driver = "pg";

function follow(folder: string, found: Map<string, number>): void {
  if (found.has(folder)) return;
  found.set(folder, folder === root ? publishedSize() : size(folder));
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest(folder);
  // npm installs the peers that are not optional.
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    if (name === driver) continue;
    const dependency = folderOf(name, folder);
    if (dependency !== undefined) follow(dependency, found);
  }
}

function folderOf(name: string, from: string): string | undefined {
  const paths = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  return paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
}

function size(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== "node_modules") bytes += size(join(folder, entry.name));
    else if (entry.isFile()) bytes += statSync(join(folder, entry.name)).size;
  }
  return bytes;
}

/** Returns the unpacked size of the published package, in bytes. */
function publishedSize(): number {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const packed: unknown = JSON.parse(stdout);
  const [first] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as { unpackedSize: number }[];
  return first?.unpackedSize ?? 0;
}
