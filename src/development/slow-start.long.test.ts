import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../test/servers/process.ts";
import { waitFor } from "../testing/index.ts";
import { isFailure, isReload, type ProjectFiles, startSession } from "./development-session.test.ts";

const slowStartMs = 10_000;
const reactionMs = 100;

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
  test(`names the line of a loop ${stage}, and stops its process on the next change`, async (t) => {
    await using project = await startSession(files(loop), {
      migratesAtStart,
      whileStarting: async ({ root, clock }) => {
        await waitFor(() => existsSync(join(root, "process-id.txt")), t);
        await clock.advance(slowStartMs + reactionMs);
      },
    });
    const { status, body } = await project.get();
    assert.equal(status, 500);
    assert.match(body, /The application has not started for 10 s\.[^]*app\/page\.ts:5:\d+[^]*Does its loop end\?/);
    assert.match(project.stderr(), /^The application has not started[^]*Called by:\n {2}app\/page\.ts:3:\d+\n/);
    assert.doesNotMatch(project.stderr(), /Debugger/);
    const processId = Number(readFileSync(join(project.root, "process-id.txt"), "utf8"));
    assert.ok(isRunning(processId));
    project.write("app/page.ts", 'export const page: string = "two";\n');
    await project.nextEvent(isReload);
    assert.equal((await project.get()).body, "two");
    await waitFor(() => !isRunning(processId), t);
  });
}

test("serves the previous version while a new one waits", async (t) => {
  await using project = await startSession(files('export const page = "one";'));
  project.write(
    "app/page.ts",
    `import { writeFileSync } from "node:fs";
writeFileSync("waits", "");
setInterval(() => {}, 60_000);
export const page = await new Promise(() => {});
`,
  );
  await waitFor(() => existsSync(join(project.root, "waits")), t);
  assert.equal(project.stderr(), "");
  await project.clock.advance(slowStartMs);
  const failure = JSON.stringify(await project.nextEvent(isFailure));
  assert.match(failure, /has not started for 10 s\..*It waits for something/);
  assert.equal((await project.get()).body, "one");
  project.write("app/page.ts", 'export const page = "two";\n');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "two");
});
