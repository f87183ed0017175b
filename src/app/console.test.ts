import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { ConfigurationInternals } from "../config/index.ts";
import { Service } from "../core/index.ts";
import { capturedLog, configuration, makeTestHost, runCommand } from "../testing/index.ts";
import { App } from "./index.ts";

afterEach(ConfigurationInternals.reset);

const events: string[] = [];
const counter = {
  ...Service.make({
    name: "visit-counter",
    start: () => void events.push("start counter"),
    stop: () => void events.push("stop counter"),
  }),
  next: (by: number) => Promise.resolve(41 + by),
};
const echo = Service.make({
  name: "echo",
  start: () => void events.push("start echo"),
  fetch: (request) => Promise.resolve(new Response(new URL(request.url).pathname)),
});
const app = App.create({ services: [counter, echo] });
const evaluate = async (code: string, of: App.Application = app): Promise<string> => {
  const { code: exit, stdout, stderr } = await runCommand(of, "console", "--eval", code);
  assert.equal(exit, 0, stderr);
  return stdout;
};

test("services are variables and run during the evaluation, except the server", async () => {
  assert.equal(await evaluate("visitCounter.next(1)"), "42");
  assert.deepEqual(events.splice(0), ["start counter", "stop counter"]);
  assert.equal(await evaluate(`services["visit-counter"] === visitCounter`), "true");
});

test("the application answers requests in the console", async () => {
  assert.equal(await evaluate(`(await app.request("/todos")).text()`), "/todos");
});

test("evaluates expressions and statements with await, and prints texts and other values", async () => {
  assert.equal(await evaluate(`"a\\nb"`), "a\nb");
  assert.equal(await evaluate(`({ a: [new Date(0)] })`), "{ a: [ 1970-01-01T00:00:00.000Z ] }");
  assert.equal(await evaluate(`const one = await visitCounter.next(1); return one + 1;`), "43");
  assert.equal(await evaluate(`undefined`), "");
  assert.equal(await evaluate(`1 // a comment`), "1");
});

test("imports are relative to the folder of the project", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, "todo.mjs"), "export const title = 'milk';");
  assert.equal(await evaluate(`(await import("./todo.mjs")).title`, App.create({ services: [], root })), "milk");
});

test("reports a throw and a syntax error, and exits with 1", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "production", FRAMEWORK_SECRET: "0123456789abcdef0123456789abcdef" });
  for (const [code, report] of [
    ["visitCounter.nope()", /TypeError: visitCounter\.nope is not a function/],
    ["1 +", /SyntaxError/],
  ] as const) {
    const { code: exit, stderr } = await runCommand(app, "console", "--eval", code);
    assert.equal(exit, 1);
    assert.match(stderr, report);
  }
});

test("names a syntax error of the code, not of what is compiled around it", async () => {
  for (const [code, report] of [
    ["1 +", /^Error: SyntaxError: Unexpected end of input\n\n\S*console:1\n1 \+\n\s*$/],
    ["const x = ;", /^Error: SyntaxError: Unexpected token ';'\n\n\S*console:1\nconst x = ;\n {10}\^$/],
    ['import fs from "node:fs"', /^Error: SyntaxError: Cannot use import statement.*\. Use await import\(\)\n/],
    ["await 1; (", /^Error: SyntaxError: Unexpected token '}'$/],
  ] as const) {
    const { code: exit, stderr } = await runCommand(app, "console", "--eval", code);
    assert.equal(exit, 1);
    assert.match(stderr, report);
  }
});

test("prints only the frames of the code and of the application", async () => {
  for (const [code, report] of [
    ["throw new Error('no')", /^Error: no\n\nError: no\n {4}at \S*console:1:7$/],
    ["Promise.reject(new Error('no'))", /^Error: no\n\nError: no\n {4}at \S*console:1:16$/],
    ["await 1; throw new Error('no', { cause: new TypeError('why') })", /because: TypeError: why\n[^]*console:1:\d+$/],
    ["throw 'no'", /^Error: a value that is not an Error was thrown: 'no'$/],
    ["import('./missing.ts')", /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module .*$/],
  ] as const) {
    const { code: exit, stderr } = await runCommand(app, "console", "--eval", code);
    assert.equal(exit, 1);
    assert.match(stderr, report);
    assert.doesNotMatch(stderr, /node:internal|run-console\.ts/);
  }
});

test("lists the variables after an unknown name", async () => {
  const { code, stderr } = await runCommand(app, "console", "--eval", "visitCount.next(1)");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Error: ReferenceError: visitCount is not defined\. Did you mean "visitCounter"\? Variables: .*visitCounter, .*app\n/,
  );
  assert.match((await runCommand(app, "console", "--eval", "zzz")).stderr, /zzz is not defined\. Variables: /);
});

test("wrong arguments start no service", async () => {
  events.length = 0;
  const { code, stderr } = await runCommand(app, "console", "visitCounter");
  assert.deepEqual([code, events], [2, []]);
  assert.match(stderr, /Unexpected argument 'visitCounter'[^]*Usage: app console/);
});

test("a signal ends code that still runs, and stops the services", async () => {
  events.length = 0;
  const testHost = makeTestHost();
  const host = { ...Service.make({ name: "host" }), interrupt: () => testHost.interrupt() };
  const code = "setImmediate(host.interrupt); new Promise(() => {})";
  assert.equal(await App.create({ services: [counter, host] }).run(["console", "--eval", code], testHost), 0);
  assert.deepEqual(events, ["start counter", "stop counter"]);
});

test("a service with the name of a global does not shadow it", async () => {
  using _ = capturedLog();
  const process = Service.make({ name: "process" });
  const named = App.create({ services: [process] });
  assert.equal(await evaluate("typeof process.exit + services.process.name", named), "functionprocess");
});
