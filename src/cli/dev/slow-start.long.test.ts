import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isReload, type ProjectFiles, startSession } from "./development-session.test.ts";
import { isRunning } from "../../../test/servers/process.ts";

const loop = `import { writeFileSync } from "node:fs";
writeFileSync("process-id.txt", String(process.pid));
export const page: string = compute();
function compute(): string {
  for (;;) Math.sqrt(2);
}
`;

const files = (page: string): ProjectFiles => ({
  "app/page.ts": page,
  "run/run.ts": `
import { createServer } from "node:http";
import { page } from "../app/page.ts";
if (process.argv[2] === "migrate") process.exit();
createServer((_, response) => response.end(page)).listen(Number(process.env.PORT), "127.0.0.1");
`,
});

for (const migratesAtStart of [false, true]) {
  const stage = migratesAtStart ? "before the migrations" : "at load";
  test(`names the line of a loop ${stage}, and stops its process on the next change`, { timeout: 60_000 }, async () => {
    await using project = await startSession(files(loop), { migratesAtStart, slowStartMs: 1500 });
    const { status, body } = await project.get();
    assert.equal(status, 500);
    assert.match(body, /The application has not started for 2 s\.[^]*app\/page\.ts:5:\d+[^]*Does its loop end\?/);
    assert.match(project.stderr(), /^The application has not started[^]*Called by:\n {2}app\/page\.ts:3:\d+\n/);
    assert.doesNotMatch(project.stderr(), /Debugger/);
    const processId = Number(readFileSync(join(project.root, "process-id.txt"), "utf8"));
    assert.ok(isRunning(processId));
    project.write("app/page.ts", 'export const page: string = "two";\n');
    await project.nextEvent(isReload);
    assert.equal((await project.get()).body, "two");
    while (isRunning(processId)) await nextTurn();
  });
}

test("serves the previous version while a new one waits", { timeout: 60_000 }, async () => {
  await using project = await startSession(files('export const page = "one";'), { slowStartMs: 1500 });
  project.write("app/page.ts", "setInterval(() => {}, 60_000);\nexport const page = await new Promise(() => {});\n");
  const failure = await project.nextEvent((event) => event.kind === "failure" && event.reason !== undefined);
  assert.match(JSON.stringify(failure), /has not started for 2 s\.[^]*It waits for something/);
  assert.equal((await project.get()).body, "one");
  project.write("app/page.ts", 'export const page = "two";\n');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "two");
});
