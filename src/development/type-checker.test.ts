import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TypeChecker, type TypeErrors } from "./type-checker.ts";

// Compiler that reports an error from its cache, as TypeScript 7.0.2 does after a change was reverted.
const compiler = `
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const cache = process.argv[process.argv.indexOf("--tsBuildInfoFile") + 1];
const isWrong = existsSync(cache) || readFileSync("app.ts", "utf8").includes("wrong");
mkdirSync("node_modules/.cache/limmat", { recursive: true });
writeFileSync(cache, "");
if (isWrong) console.log("app.ts(1,1): error TS2322: Type 'string' is not assignable to type 'number'.");
`;

test("shows an error of an incremental check only if a check of all files confirms it", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "limmat-types-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "node_modules/typescript/bin"), { recursive: true });
  writeFileSync(join(root, "node_modules/typescript/bin/tsc"), compiler);
  writeFileSync(join(root, "tsconfig.json"), "{}");
  const check = (source: string): Promise<TypeErrors | undefined> => {
    writeFileSync(join(root, "app.ts"), source);
    return new Promise((resolve) => new TypeChecker(root, resolve).start());
  };
  assert.equal(await check("right"), undefined);
  assert.equal((await check("wrong"))?.count, 1);
  assert.equal(await check("right"), undefined);
});
