// The codemod of names on all programs of the repository. The minifier gives every local name a new one, by its position, so that
// two programs that differ in local names only become equal.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stripTypeScriptTypes } from "node:module";
import { minifySync } from "rolldown/experimental";
import { parseProgram } from "../../src/cli/upgrade/program.ts";
import type { ExportRename } from "../../src/cli/upgrade/rename.ts";
import { renameExports } from "../../src/cli/upgrade/rename-exports.ts";
import { root } from "../sources.ts";

const minify = (text: string): string =>
  minifySync("program.js", stripTypeScriptTypes(text), { module: true, compress: false, mangle: { toplevel: true } })
    .code;

/** Returns the rename of a name of an entry point to one that no program has. */
function renameOf(entryPoint: string, name: string): ExportRename {
  return { kind: "export", entryPoint, path: [name], target: { entryPoint, path: [`${name}Renamed`] }, advice: "" };
}

for (const folder of ["src", "examples", "site", "tools"]) {
  test(`a renamed name changes no other meaning: ${folder}`, () => {
    const paths = globSync("**/*.ts", { cwd: join(root, folder), exclude: ["**/node_modules", "tmp"] });
    let checked = 0;
    for (const path of paths) {
      const code = readFileSync(join(root, folder, path), "utf8");
      assert.equal(renameExports(code, path, [renameOf("limmat/other", "Other")]).text, code);
      const imported = parseProgram(code, path).imports.flatMap(({ from, names }) =>
        names.map((name) => ({ from, name: name.imported })),
      );
      // Another name of each file, so that all kinds of names are checked in a second.
      const { from, name } = imported[path.length % imported.length] ?? { from: "", name: "" };
      if (name === "") continue;
      const { text } = renameExports(code, path, [renameOf(from, name)]);
      assert.equal(renameExports(text, path, [renameOf(from, name)]).text, text, path);
      const oldNames = minify(text).replaceAll(`${name}Renamed as ${name}`, name).replaceAll(`${name}Renamed`, name);
      assert.equal(oldNames, minify(code), path);
      checked += 1;
    }
    assert.ok(checked > paths.length / 3, `${checked} of ${paths.length}`);
  });
}
