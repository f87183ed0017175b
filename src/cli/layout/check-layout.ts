import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, normalize } from "node:path/posix";
import { parseImports } from "./parse-imports.ts";
import { layoutRules, type SourceFile, type Violation } from "./rules.ts";

const sourceFolders = ["app", "database", "routes", "run", "service", "test", "web"];

/** Checks the sources of a project against the layout rules. Returns the violations, sorted by path. */
export function checkLayout(root: string): readonly Violation[] {
  return readSourceFiles(root).flatMap(({ path, imports }) =>
    imports.flatMap((imported) =>
      layoutRules.flatMap((rule) => {
        const message = rule(path, imported);
        return message === undefined ? [] : [{ path, line: imported.line, message }];
      }),
    ),
  );
}

function readSourceFiles(root: string): readonly SourceFile[] {
  return sourceFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.[cm]?tsx?$/.test(path))
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
    )
    .sort()
    .map((path) => ({ path, imports: resolveImports(path, readFileSync(join(root, path), "utf8")) }));
}

function resolveImports(path: string, text: string): SourceFile["imports"] {
  return parseImports(text).map((imported) => {
    const { specifier } = imported;
    const target = specifier.startsWith(".") ? normalize(`${dirname(path)}/${specifier}`) : specifier;
    return { ...imported, target };
  });
}
