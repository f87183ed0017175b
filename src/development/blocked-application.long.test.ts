// Requests that wait for a running version, which computes or waits.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { isRunning } from "../../test/servers/process.ts";
import { waitFor } from "../testing/index.ts";
import {
  type DevelopmentSession,
  isFailure,
  isReload,
  navigation,
  type ProjectFiles,
  startSession,
} from "./development-session.test.ts";

const checkIntervalMs = 1000;
const blockedMs = 5000;

const files: ProjectFiles = {
  "app/page.ts": `import { existsSync, writeFileSync } from "node:fs";
writeFileSync("process-id.txt", String(process.pid));
// A server that ends gracefully does not end while it computes.
process.on("SIGTERM", () => process.exit());
export function page(path: string): string {
  if (path.startsWith("/loop/")) computeUntil(path.slice("/loop/".length));
  return "one";
}
function computeUntil(file: string): void {
  writeFileSync(file + "-begun", "");
  while (!existsSync(file)) Math.sqrt(2);
}
`,
  "run/run.ts": `
import { createServer } from "node:http";
import { page } from "../app/page.ts";
createServer((request, response) => {
  if (request.url !== "/wait") return response.end(page(String(request.url).replace(/[?].*/, "")));
  // A pause for the debugger would stop at this timer.
  const timer = setInterval(() => Math.sqrt(2), 1);
  let count = 0;
  process.on("message", () => {
    count += 1;
    if (count < ${blockedMs / checkIntervalMs + 1}) return;
    clearInterval(timer);
    response.end("waited");
  });
}).listen(Number(process.env.PORT), "127.0.0.1");
`,
};

const countReports = (stderr: string): number => stderr.match(/has not reacted/g)?.length ?? 0;

/** Waits until the process computes until a file exists, and advances the time until this is reported. */
async function blockProcess({ root, clock }: DevelopmentSession, file: string, t: TestContext): Promise<void> {
  await waitFor(() => existsSync(join(root, `${file}-begun`)), t);
  await clock.advance(checkIntervalMs + blockedMs);
}

test("names the line of a loop and a request that waits, and serves the next version", async (t) => {
  await using project = await startSession(files);
  const page = project.get("/loop/never?token=secret", navigation);
  const data = project.post("/loop/never", "data");
  await blockProcess(project, "never", t);
  assert.match(
    JSON.stringify(await project.nextEvent(isFailure)),
    /"title":"The application does not react\."[^]*has not reacted for 5 s/,
  );
  assert.match(
    project.stderr(),
    /^The application has not reacted for 5 s, while (?:GET|POST) \/loop\/never waits\.\n {2}at app\/page\.ts:11:\d+\n/,
  );
  assert.match(project.stderr(), /Does its loop end\?[^]*Called by:\n {2}page \(app\/page\.ts:6:\d+\)\n/);
  assert.doesNotMatch(project.stderr(), /Debugger|secret/);
  const processId = Number(readFileSync(join(project.root, "process-id.txt"), "utf8"));
  assert.ok(isRunning(processId));
  project.write("app/page.ts", 'export const page = (path: string): string => "two " + path;\n');
  await project.nextEvent(isReload);
  assert.equal((await project.get("/now")).body, "two /now");
  await waitFor(() => !isRunning(processId), t);
  assert.match((await page).body, /^two \/loop\/never/);
  assert.equal((await data).status, 500);
  assert.equal(countReports(project.stderr()), 1);
});

test("reports each period of a process that reacts again, and answers its requests", async (t) => {
  await using project = await startSession(files);
  for (const file of ["first", "second"]) {
    const answers = [project.get(`/loop/${file}`), project.get("/")];
    await blockProcess(project, file, t);
    await project.nextEvent(isFailure);
    project.write(file, "");
    await project.nextEvent((event) => event.kind === "failure" && event.reason === undefined);
    for (const answer of answers) assert.equal((await answer).body, "one");
  }
  assert.equal(countReports(project.stderr()), 2);
});

test("reports no request that waits while the process reacts", async () => {
  await using project = await startSession(files);
  // Ends the watch of the request that began the session.
  await project.waitForTimer(checkIntervalMs);
  await project.clock.advance(checkIntervalMs);
  const answer = project.get("/wait");
  // The process reacts to each check. Together they take longer than a process may be blocked.
  for (let waitedMs = 0; waitedMs <= blockedMs; waitedMs += checkIntervalMs) {
    await project.waitForTimer(checkIntervalMs);
    await project.clock.advance(checkIntervalMs);
  }
  assert.equal((await answer).body, "waited");
  assert.equal(project.stderr(), "");
});

test("reports a loop of a process that was started with an inspector", async (t) => {
  process.execArgv.push("--inspect");
  try {
    await using project = await startSession(files);
    const answer = project.get("/loop/end");
    await blockProcess(project, "end", t);
    await project.nextEvent(isFailure);
    assert.match(project.stderr(), /has not reacted[^]*app\/page\.ts:11:\d+/);
    project.write("end", "");
    assert.equal((await answer).body, "one");
  } finally {
    process.execArgv.pop();
  }
});
