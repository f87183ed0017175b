import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../sources.ts";
import { install, type PackedFramework, run } from "./package.ts";

/** Creates a project by `create-limmat` as a user does, and installs its dependencies offline. Returns its folder. */
export function createProject(
  framework: PackedFramework,
  name: string,
  database = "sqlite",
  flags: readonly string[] = [],
): string {
  const project = join(framework.folder, name);
  // The layout of "npm create limmat": both packages in one node_modules folder.
  const creator = join(framework.folder, `creator-of-${name}`);
  mkdirSync(creator);
  install(creator, framework.tarball);
  cpSync(join(root, "create-limmat"), join(creator, "node_modules/create-limmat"), { recursive: true });
  const program = join(creator, "node_modules/create-limmat/create-limmat.mjs");
  run(process.execPath, [program, project, `--database=${database}`, "--yes", "--no-install", ...flags], creator);
  install(project, framework.tarball);
  return project;
}
