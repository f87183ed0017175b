import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test, type TestContext } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { placeholderSecret } from "../../config/internal.ts";
import { Service } from "../../core/index.ts";
import { LogInternals } from "../../log/index.ts";
import { configuration, runCommand } from "../../testing/index.ts";
import { App } from "../index.ts";
import { isInRange } from "./environment-checks.ts";

afterEach(() => {
  LogInternals.reset();
  ConfigurationInternals.reset();
});

interface Finding {
  readonly subject: string;
  readonly level: string;
  readonly message: string;
  readonly advice?: string;
}

async function runDoctor(
  app: App.Application,
  ...args: string[]
): Promise<{ code: number; of: (subject: string) => Finding[] }> {
  const { code, stdout } = await runCommand(app, "doctor", "--json", ...args);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  return { code, of: (subject) => findings.filter((finding) => finding.subject === subject) };
}

const levels = (findings: readonly Finding[]): string[] => findings.map(({ level }) => level);
const secret = "a-secret-of-32-bytes-at-the-least-0123456789";

/** An empty folder, so that no files of this repository count. */
async function emptyFolder(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

test("starts, checks and stops the services, and checks the server without a start", async () => {
  const events: string[] = [];
  const service = (name: string, definition: Partial<Service.Service>): Service.Service =>
    Service.make({
      name,
      start: () => void events.push(`start ${name}`),
      stop: () => void events.push(`stop ${name}`),
      ...definition,
    });
  const pool = service("pool", {});
  const database = service("database", {
    dependencies: () => [pool],
    health: async () => void events.push("health"),
    check: ({ environment }) => [{ level: "warning", message: `slow in ${environment}`, advice: "Wait." }],
  });
  const http = service("http", {
    fetch: () => Promise.reject(new Error()),
    check: () => [{ level: "ok", message: "fast" }],
  });
  const app = App.create({
    services: [database, service("queue", {}), http],
    beforeStart: () => void events.push("before"),
    afterStop: () => void events.push("after"),
  });
  using _ = configuration({ FRAMEWORK_ENV: "test" });
  const { code, of } = await runDoctor(app);
  assert.equal(code, 0);
  assert.deepEqual(events, ["before", "start pool", "start database", "health", "stop database", "stop pool", "after"]);
  assert.deepEqual(of("database"), [
    { subject: "database", level: "ok", message: "The service works (database)" },
    { subject: "database", level: "warning", message: "slow in test", advice: "Wait." },
  ]);
  assert.deepEqual(of("http"), [{ subject: "http", level: "ok", message: "fast" }]);
});

test("warns about an unknown key in an env file that resembles a known key that is not set", async (t) => {
  const root = await emptyFolder(t);
  await writeFile(join(root, ".env"), "A_PROT=1\nDATABSE_URL=x\nDATABASE_URI=y\nA_PORTAL=1\nOTHER=1\nA_URLS=1\n");
  await writeFile(join(root, ".env.local"), "A_PROT=2\n");
  const fields = [
    Configuration.int("A_PORT", { description: "a port", default: 1 }),
    Configuration.string("DATABASE_URL", { description: "a database" }),
    Configuration.string("A_URL", { description: "an address" }),
  ];
  const services = [Service.make({ name: "a", configuration: fields })];
  const app = App.create({ services, root });
  Configuration.store([["A_URL", "set"]]);
  const { code, of } = await runDoctor(app);
  const events = [
    "A_PROT is set in .env.local:1, and nothing reads it. Did you mean A_PORT?",
    "DATABASE_URI is set in .env:3, and nothing reads it. Did you mean DATABASE_URL?",
    "DATABSE_URL is set in .env:2, and nothing reads it. Did you mean DATABASE_URL?",
  ];
  const warnings = of("configuration").filter(({ level }) => level === "warning");
  assert.deepEqual([code, warnings.map(({ message }) => message).sort()], [0, events]);
});

test("reports each failure as a problem, skips dependent services, and checks all others", async () => {
  const fails = (): Promise<never> => Promise.reject(new Error("it is away"));
  const away = Service.make({ name: "away", start: fails, health: async () => {} });
  const services = [
    away,
    Service.make({ name: "above", dependencies: () => [away], check: () => [] }),
    Service.make({ name: "ill", health: fails }),
    Service.make({ name: "odd", check: fails }),
    Service.make({
      name: "told",
      check: ({ failedServices = [] }) => [{ level: "ok", message: failedServices.join(", ") }],
    }),
    Service.make({ name: "stuck", check: () => [{ level: "ok", message: "well" }], stop: fails }),
  ];
  using _ = configuration({ FRAMEWORK_ENV: "test" });
  const { code, of } = await runDoctor(App.create({ services }));
  assert.equal(code, 1);
  for (const [subject, expected] of [
    ["away", ["problem"]],
    ["above", ["warning"]],
    ["ill", ["problem"]],
    ["odd", ["problem"]],
    ["stuck", ["ok", "problem"]],
  ] as const) {
    assert.deepEqual(levels(of(subject)), expected, subject);
  }
  assert.match(of("away")[0]?.message ?? "", /it is away/);
  assert.deepEqual(of("told"), [{ subject: "told", level: "ok", message: "away, ill, odd" }]);
});

test("prints a line for each finding with its advice below, and fails with the number of problems", async () => {
  const check = (): Service.Finding[] => [
    { level: "problem", message: "The disk is full", advice: "Delete something." },
  ];
  using _ = configuration({ FRAMEWORK_ENV: "test", FRAMEWORK_SECRET: secret });
  const { code, stdout, stderr } = await runCommand(
    App.create({ services: [Service.make({ name: "disk", check })] }),
    "doctor",
  );
  assert.equal(code, 1);
  assert.match(stdout, /^ok {7}node: Node \d+\.\d+\.\d+, limmat \d+\.\d+\.\d+\n/);
  assert.match(stdout, /\nproblem {2}disk: The disk is full\n {9}Delete something\.$/);
  assert.match(stderr, /E_DOCTOR_PROBLEMS.*1 problem/);
});

test("reports each invalid key as a problem, never with its value", async (t) => {
  const port = Configuration.int("A_PORT", { description: "a port", default: 1 });
  const url = Configuration.string("A_URL", { description: "an address", required: true });
  const services = [Service.make({ name: "a", configuration: [port, url] })];
  using _ = configuration({ FRAMEWORK_ENV: "test", A_PORT: "canary" });
  const { code, of } = await runDoctor(App.create({ services, root: await emptyFolder(t) }));
  assert.equal(code, 1);
  assert.deepEqual(levels(of("configuration")), ["problem", "problem"]);
  assert.doesNotMatch(JSON.stringify(of("configuration")), /canary/);
});

test("warns outside production about a secret that production would refuse", async (t) => {
  const app = App.create({ services: [], root: await emptyFolder(t) });
  for (const [value, level] of [
    ["", "warning"],
    ["short", "warning"],
    [placeholderSecret, "warning"],
    [secret, "ok"],
  ] as const) {
    using _ = configuration({ FRAMEWORK_ENV: "development", FRAMEWORK_SECRET: value });
    assert.deepEqual(levels((await runDoctor(app)).of("secret")), [level], value);
  }
});

test("--production checks for production, and does not change the environment", async (t) => {
  const url = Configuration.string("A_URL", { description: "an address", required: ["production"] });
  const seen: string[] = [];
  const service = Service.make({
    name: "a",
    configuration: [url],
    check: ({ environment }) => (seen.push(environment, Configuration.environment()), []),
  });
  const app = App.create({ services: [service], root: await emptyFolder(t) });
  using _ = configuration({ FRAMEWORK_ENV: "development" });
  assert.equal((await runDoctor(app)).code, 0);
  const { code, of } = await runDoctor(app, "--production");
  assert.equal(code, 1);
  assert.deepEqual(
    of("configuration").map(({ message }) => message.split(" ")[0]),
    ["FRAMEWORK_SECRET", "A_URL"],
  );
  assert.deepEqual(levels(of("environment")), ["warning"]);
  assert.deepEqual(seen, ["development", "development", "production", "development"]);

  using __ = configuration({ FRAMEWORK_ENV: "production", FRAMEWORK_SECRET: secret, A_URL: "x" });
  const ready = await runDoctor(app, "--production");
  assert.deepEqual([ready.code, levels(ready.of("environment"))], [0, ["ok"]]);
});

test("reports a Node that package.json does not allow as a problem", async (t) => {
  const root = await emptyFolder(t);
  await writeFile(join(root, "package.json"), JSON.stringify({ engines: { node: ">=99.1" } }));
  const { of } = await runDoctor(App.create({ services: [], root }));
  assert.deepEqual(levels(of("node")), ["problem"]);
  assert.match(of("node")[0]?.message ?? "", />=99\.1/);
});

test("compares versions part by part, as numbers", () => {
  for (const [version, range, expected] of [
    ["24.15.0", ">=24.15", true],
    ["24.9.0", ">=24.15", false],
    ["26.0.0", ">=24.15", true],
    ["24.15.0", ">= 24.15.1", false],
    ["23.99.99", ">=24", false],
    ["24.0.0", ">=24", true],
    ["18.0.0", "^24 || ^26", true],
  ] as const) {
    assert.equal(isInRange(version, range), expected, `${version} ${range}`);
  }
});
