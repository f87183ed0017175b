import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type DevelopmentSession, isReload, type ProjectFiles, startSession } from "./development-session.test.ts";
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

interface SlowSession extends AsyncDisposable {
  readonly project: DevelopmentSession;
  /** Time after which a version that has not started is reported, as the report gives it. */
  readonly time: string;
}

/** Starts a session. A busy machine needs more time until the reports of the first version are those of `isExpected`. */
async function startSlowSession(
  page: string,
  isExpected: (stderr: string) => boolean,
  migratesAtStart = false,
): Promise<SlowSession> {
  for (let slowStartMs = 1500; ; slowStartMs *= 3) {
    const project = await startSession(files(page), { migratesAtStart, slowStartMs });
    if (isExpected(project.stderr()) || slowStartMs > 10_000) {
      const time = `${Math.round(slowStartMs / 1000)} s`;
      return { project, time, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() };
    }
    await project[Symbol.asyncDispose]();
  }
}

for (const migratesAtStart of [false, true]) {
  const stage = migratesAtStart ? "before the migrations" : "at load";
  test(`names the line of a loop ${stage}, and stops its process on the next change`, { timeout: 60_000 }, async () => {
    const hasReachedLoop = (stderr: string): boolean => !stderr.includes("It waits for something");
    await using session = await startSlowSession(loop, hasReachedLoop, migratesAtStart);
    const { project, time } = session;
    const { status, body } = await project.get();
    assert.equal(status, 500);
    assert.ok(body.includes(`The application has not started for ${time}.`));
    assert.match(body, /has not started[^]*app\/page\.ts:5:\d+[^]*Does its loop end\?/);
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
  await using session = await startSlowSession('export const page = "one";', (stderr) => stderr === "");
  const { project, time } = session;
  project.write("app/page.ts", "setInterval(() => {}, 60_000);\nexport const page = await new Promise(() => {});\n");
  const failure = await project.nextEvent((event) => event.kind === "failure" && event.reason !== undefined);
  assert.ok(JSON.stringify(failure).includes(`has not started for ${time}.`));
  assert.match(JSON.stringify(failure), /It waits for something/);
  assert.equal((await project.get()).body, "one");
  project.write("app/page.ts", 'export const page = "two";\n');
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, "two");
});
