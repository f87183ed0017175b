import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, normalize } from "node:path/posix";
import { importsOf } from "./imports.ts";
import { rules, type SourceFile, type Violation } from "./rules.ts";

const folders = ["app", "database", "routes", "run", "service", "test", "web"];

/** Checks the sources of a project against the rules of the layout, and gives what breaks one, in order. */
export function checkLayout(root: string): readonly Violation[] {
  return sourcesOf(root).flatMap(({ path, imports }) =>
    imports.flatMap((imported) =>
      rules.flatMap((rule) => {
        const message = rule(path, imported);
        return message === undefined ? [] : [{ path, line: imported.line, message }];
      }),
    ),
  );
}

function sourcesOf(root: string): readonly SourceFile[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.[cm]?tsx?$/.test(path))
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
    )
    .sort()
    .map((path) => ({ path, imports: targets(path, readFileSync(join(root, path), "utf8")) }));
}

function targets(path: string, text: string): SourceFile["imports"] {
  return importsOf(text).map((imported) => {
    const { specifier } = imported;
    const target = specifier.startsWith(".") ? normalize(`${dirname(path)}/${specifier}`) : specifier;
    return { ...imported, target };
  });
}
