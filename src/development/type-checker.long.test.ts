import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { BrowserEvent } from "./browser-client.ts";
import { startSession, type ProjectFiles } from "./development-session.test.ts";

const packages = resolve(import.meta.dirname, "../../node_modules");

const files: ProjectFiles = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: { module: "nodenext", strict: true, noEmit: true, allowImportingTsExtensions: true, types: [] },
    include: ["app"],
  }),
  "app/page.ts": "const count: number = `one`;\nexport const page: string = `${count}`;\n",
  "run/run.ts": `
import { createServer } from "node:http";
import { page } from "../app/page.ts";
createServer((_, response) => response.end(page)).listen(Number(process.env.PORT), "127.0.0.1");
`,
};

const isTypes = (event: BrowserEvent): event is BrowserEvent & { kind: "types" } => event.kind === "types";

test("shows type errors beside the running application, until they are gone", async () => {
  await using project = await startSession(files, { checksTypes: false });
  assert.equal((await project.get()).body, "one");
  assert.equal(
    project.printed.some((line) => line.includes("type error")),
    false,
  );

  await using checked = await startSession(files, { checksTypes: true });
  // The compiler is found when a check starts: a project without one is not checked.
  symlinkSync(join(packages, "typescript"), join(checked.root, "node_modules/typescript"));
  checked.write("app/page.ts", `${files["app/page.ts"]}\n`);
  const found = await checked.nextEvent((event) => isTypes(event) && event.count > 0);
  const text = [
    "app/page.ts:1:7  TS2322: Type 'string' is not assignable to type 'number'.",
    "",
    "> 1 | const count: number = `one`;",
    "    |       ^",
    "  2 | export const page: string = `${count}`;",
    "  3 |",
  ].join("\n");
  assert.ok(isTypes(found) && found.text?.startsWith(text), JSON.stringify(found));
  const printed = checked.printed.find((line) => line.startsWith("1 type error. The application runs all the same.\n"));
  assert.ok(printed?.includes(text), checked.printed.join("\n"));
  assert.equal((await checked.get()).body, "one");

  checked.write("app/page.ts", "export const page: string = `two`;\n");
  assert.deepEqual(await checked.nextEvent(isTypes), { kind: "types", count: 0 });
  assert.ok(checked.printed.includes("The types have no errors any more."));
  assert.equal((await checked.get()).body, "two");
});

test("shows a type error that is an error at start as well only if the application starts", async () => {
  await using project = await startSession(files, { checksTypes: true });
  symlinkSync(join(packages, "typescript"), join(project.root, "node_modules/typescript"));
  project.write("app/page.ts", "export const missing: string = `two`;\n");
  await project.nextEvent((event) => event.kind === "failure" && event.reason !== undefined);
  project.write("app/page.ts", "export const page = `three`;\nexport const count: number = page;\n");
  const shown = await project.nextEvent((event) => isTypes(event) && event.count > 0);
  assert.ok(isTypes(shown) && shown.text?.startsWith("app/page.ts:2:14  TS2322"), JSON.stringify(shown));
  assert.equal((await project.get()).body, "three");
  // The errors of the version that failed to start were never shown.
  assert.doesNotMatch(project.printed.join("\n"), /missing/);
});
