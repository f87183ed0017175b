// Requests that wait for a running version, which computes or waits.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type DevelopmentSession,
  isFailure,
  isReload,
  navigation,
  type ProjectFiles,
  startSession as startProject,
} from "./development-session.test.ts";
import { isRunning } from "../../../test/servers/process.ts";

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
    if (count < 3) return;
    clearInterval(timer);
    response.end("waited");
  });
}).listen(Number(process.env.PORT), "127.0.0.1");
`,
};

const startSession = (): Promise<DevelopmentSession> => startProject(files, { blockedMs: 1000 });
const countReports = (stderr: string): number => stderr.match(/has not reacted/g)?.length ?? 0;

test(
  "names the line of a loop and a request that waits, and serves the next version",
  { timeout: 60_000 },
  async () => {
    await using project = await startSession();
    const page = project.get("/loop/never?token=secret", navigation);
    const data = project.post("/loop/never", "data");
    assert.match(
      JSON.stringify(await project.nextEvent(isFailure)),
      /"title":"The application does not react\."[^]*has not reacted for 1 s/,
    );
    assert.match(
      project.stderr(),
      /^The application has not reacted for 1 s, while (?:GET|POST) \/loop\/never waits\.\n {2}at app\/page\.ts:10:\d+\n/,
    );
    assert.match(project.stderr(), /Does its loop end\?[^]*Called by:\n {2}page \(app\/page\.ts:6:\d+\)\n/);
    assert.doesNotMatch(project.stderr(), /Debugger|secret/);
    const processId = Number(readFileSync(join(project.root, "process-id.txt"), "utf8"));
    assert.ok(isRunning(processId));
    project.write("app/page.ts", 'export const page = (path: string): string => "two " + path;\n');
    await project.nextEvent(isReload);
    assert.equal((await project.get("/now")).body, "two /now");
    while (isRunning(processId)) await nextTurn();
    assert.match((await page).body, /^two \/loop\/never/);
    assert.equal((await data).status, 500);
    assert.equal(countReports(project.stderr()), 1);
  },
);

test("reports each period of a process that reacts again, and answers its requests", { timeout: 60_000 }, async () => {
  await using project = await startSession();
  for (const file of ["first", "second"]) {
    const answers = [project.get(`/loop/${file}`), project.get("/")];
    await project.nextEvent(isFailure);
    project.write(file, "");
    await project.nextEvent((event) => event.kind === "failure" && event.reason === undefined);
    for (const answer of answers) assert.equal((await answer).body, "one");
  }
  assert.equal(countReports(project.stderr()), 2);
});

test("reports no request that waits while the process reacts", { timeout: 60_000 }, async () => {
  await using project = await startSession();
  assert.equal((await project.get("/wait")).body, "waited");
  assert.equal(project.stderr(), "");
});

test("reports a loop of a process that was started with an inspector", { timeout: 60_000 }, async () => {
  process.execArgv.push("--inspect");
  try {
    await using project = await startSession();
    const answer = project.get("/loop/end");
    await project.nextEvent(isFailure);
    assert.match(project.stderr(), /has not reacted[^]*app\/page\.ts:10:\d+/);
    project.write("end", "");
    assert.equal((await answer).body, "one");
  } finally {
    process.execArgv.pop();
  }
});
