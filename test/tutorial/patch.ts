import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../sources.ts";
import type { Files } from "./share.ts";

/** Pattern of the files that a project of the tutorial and the tracker of the examples have in common. */
export const sourcePattern = "{app,database,language,routes,run,service,test,web}/**/*.ts";

/** Returns the files of a folder that match `sourcePattern`, by path. */
export function readSources(folder: string): Files {
  return Object.fromEntries(
    globSync(sourcePattern, { cwd: folder })
      .map((path) => path.replaceAll("\\", "/"))
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
}

/** Returns the files of the tracker of the examples. */
export const exampleSources = (): Files => readSources(join(root, "examples/tracker"));

/** Writes the patch that leads from the files of a project to the tracker of the examples. */
export function writePatch(path: string, project: Files): void {
  const folder = mkdtempSync(join(tmpdir(), "limmat-patch-"));
  try {
    for (const [side, files] of Object.entries({ a: project, b: exampleSources() })) {
      for (const [file, text] of Object.entries(files)) {
        // It names the database, which is another one in the project.
        if (file === "service/service.ts") continue;
        mkdirSync(join(folder, side, dirname(file)), { recursive: true });
        writeFileSync(join(folder, side, file), text);
      }
    }
    const args = ["diff", "--no-index", "--no-prefix", "--no-color", "--unified=1", "a", "b"];
    const { stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
    writeFileSync(join(root, path), stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
