import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assertErrorCode, captureOutput } from "limmat/testing";
import { packAssets } from "./pack-assets.ts";
import { Progress } from "./progress.ts";

test("bundles the browser code of a project, if it has any", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "limmat-pack-assets-"));
  t.after(() => rmSync(root, { recursive: true }));
  const output = captureOutput();
  const pack = (): Promise<readonly string[]> => packAssets(root, new Progress(output), t.signal);
  assert.deepEqual(await pack(), []);
  for (const folder of ["resources", "run"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "resources/assets.d.ts"), "");
  assert.deepEqual(await pack(), []);
  assert.deepEqual(output.stderrLines, []);

  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(root, "run/run.ts"),
    `import { App } from "limmat";
console.log("starts");
await App.create({ root: process.cwd(), services: [] }).run();`,
  );
  for (const name of ["app", "admin"]) writeFileSync(join(root, `resources/${name}.ts`), "console.log(1);");
  assert.deepEqual(await pack(), [join("public", "built")]);
  assert.match(output.stderrLines.join(), /bundle the browser code \(2 files\)/);
  assert.equal(readdirSync(join(root, "public/built")).filter((name) => name.endsWith(".js")).length, 2);

  writeFileSync(join(root, "resources/app.ts"), "const =");
  const { message } = await assertErrorCode("E_DEPLOY_STEP", pack);
  assert.match(message, /bundle the browser code[^]*E_ASSETS_BUILD[^]*app\.ts:1/);
});
