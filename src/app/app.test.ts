import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { Configuration } from "../config/index.ts";
import { Command, Service } from "../core/index.ts";
import { capturedLog, configuration, host, run } from "../testing/index.ts";
import { App } from "./index.ts";

afterEach(Configuration.reset);

const echo = Service.make({
  name: "echo",
  fetch: async (request) => new Response(`${request.method} ${request.url} ${await request.text()}`),
});

const recording = (name: string, told: string[], definition: Partial<Service.Service> = {}): Service.Service =>
  Service.make({
    name,
    start: () => void told.push(`start ${name}`),
    stop: () => void told.push(`stop ${name}`),
    ...definition,
  });

test("a request is answered without a socket, whether it is a path or a web-standard request", async () => {
  const app = App.create({ services: [echo] });
  const posted = await app.request("/todos?x=1", { method: "POST", body: "hello" });
  assert.equal(await posted.text(), "POST http://localhost/todos?x=1 hello");
  const fetched = await app.fetch(new Request("https://example.org/"));
  assert.equal(await fetched.text(), "GET https://example.org/ ");
});

test("an application without a server, or with two, says so", async () => {
  const none = App.create({ services: [] });
  assert.throws(() => none.fetch(new Request("http://localhost")), { code: "E_APP_NO_SERVER" });
  assert.match((await run(none, "server")).stderr, /E_APP_NO_SERVER/);
  const two = App.create({ services: [echo, { ...echo, name: "second" }] });
  const { code, stderr } = await run(two, "server");
  assert.equal(code, 1);
  assert.match(stderr, /E_APP_SEVERAL_SERVERS.*echo, second/);
});

test("start and stop run the hooks around the services, and an application can start again", async () => {
  const told: string[] = [];
  const app = App.create({
    services: [recording("a", told), recording("b", told)],
    beforeStart: () => void told.push("before"),
    afterStop: () => void told.push("after"),
  });
  for (let round = 0; round < 2; round++) {
    await app.start();
    await assert.rejects(app.start(), { code: "E_APP_RUNNING" });
    await Promise.all([app.stop(), app.stop()]);
    await app.stop();
    assert.deepEqual(told.splice(0), ["before", "start a", "start b", "stop b", "stop a", "after"]);
  }
});

test("a command uses what the application has started, starts the rest, and stops that alone", async () => {
  const told: string[] = [];
  const [a, b] = [recording("a", told), recording("b", told)];
  const work = Command.make({
    name: "work",
    description: "Works",
    dependencies: () => [a, b],
    run: () => {
      told.push("work");
      return Command.done;
    },
  });
  const app = App.create({
    services: [a],
    commands: [work],
    beforeStart: () => void told.push("before"),
    afterStop: () => void told.push("after"),
  });
  await app.start();
  assert.equal((await run(app, "work")).code, 0);
  await app.stop();
  assert.deepEqual(told.splice(0), ["before", "start a", "start b", "work", "stop b", "stop a", "after"]);
  assert.equal((await run(app, "work")).code, 0);
  assert.deepEqual(told, ["before", "start a", "start b", "work", "stop b", "stop a", "after"]);
});

test("start without the server starts what the server depends on", async () => {
  const told: string[] = [];
  const database = recording("database", told);
  const server = recording("server", told, { dependencies: () => [database], fetch: () => Promise.reject() });
  const app = App.create({ services: [recording("queue", told), server] });
  await app.start({ server: false });
  assert.deepEqual(told, ["start queue", "start database"]);
  await app.stop();
});

test("a start that fails stops what had started, runs afterStop, and can be tried again", async () => {
  const told: string[] = [];
  let isBroken = true;
  const flaky = recording("flaky", told, { start: () => (isBroken ? Promise.reject(new Error("busy")) : undefined) });
  const app = App.create({ services: [recording("a", told), flaky], afterStop: () => void told.push("after") });
  await assert.rejects(app.start(), { code: "E_SERVICE_START" });
  assert.deepEqual(told.splice(0), ["start a", "stop a", "after"]);
  isBroken = false;
  await app.start();
  await app.stop();
});

test("a hook that fails before the start starts nothing", async () => {
  const told: string[] = [];
  const app = App.create({
    services: [recording("a", told), echo],
    beforeStart: () => Promise.reject(new Error("no")),
    afterStop: () => void told.push("after"),
  });
  const { code, stderr } = await run(app, "server");
  assert.deepEqual([code, told], [1, []]);
  assert.match(stderr, /Error: no/);
});

test("the server command runs all services until it is told to end, then ends with 0", async () => {
  using _ = capturedLog();
  const told: string[] = [];
  const testHost = host();
  const server = recording("server", told, {
    fetch: () => Promise.reject(),
    start: () => void setImmediate(() => testHost.interrupt("SIGTERM")),
  });
  const app = App.create({ services: [recording("a", told), server], afterStop: () => void told.push("after") });
  assert.equal(await app.run(["server"], testHost), 0);
  assert.deepEqual(told, ["start a", "stop server", "stop a", "after"]);
});

test("a signal during the start stops what has started and starts nothing more", async () => {
  using _ = capturedLog();
  const told: string[] = [];
  const testHost = host();
  const slow = recording("slow", told, { start: () => testHost.interrupt("SIGTERM") });
  const app = App.create({ services: [recording("a", told), slow, echo], afterStop: () => void told.push("after") });
  assert.equal(await app.run(["server"], testHost), 0);
  assert.deepEqual(told, ["start a", "stop slow", "stop a", "after"]);
  assert.equal(testHost.exitCode(), undefined);
});

test("a stop that fails is told, and leaves the application ready to start again", async () => {
  const app = App.create({ services: [Service.make({ name: "a", stop: () => Promise.reject(new Error("no")) })] });
  await app.start();
  await assert.rejects(app.stop(), { code: "E_SERVICE_STOP" });
  await app.start();
  await assert.rejects(app.stop(), { code: "E_SERVICE_STOP" });
});

test("the server command tells everything that is missing or wrong at once, and starts nothing", async () => {
  const told: string[] = [];
  const key = (name: string): Partial<Service.Service> => ({
    configuration: [Configuration.string(name, { description: `the ${name}`, required: true })],
  });
  const hidden = recording("hidden", told, key("HIDDEN_URL"));
  const app = App.create({
    services: [recording("a", told, { ...key("A_URL"), dependencies: () => [hidden] }), echo],
  });
  using _ = configuration({ SHUTDOWN_TIMEOUT: "soon" });
  const { code, stderr } = await run(app, "server");
  assert.deepEqual([code, told], [1, []]);
  for (const name of ["A_URL", "HIDDEN_URL", "SHUTDOWN_TIMEOUT"]) assert.match(stderr, new RegExp(name));
  assert.doesNotMatch(stderr, /soon/);
});

test("what beforeStart stores counts as configuration", async () => {
  const field = Configuration.string("STORED_URL", { description: "the URL", required: true });
  const app = App.create({
    services: [Service.make({ name: "a", configuration: [field] })],
    beforeStart: () => Configuration.store([["STORED_URL", "x"]]),
  });
  await app.start();
  await app.stop();
});

test("the start says the environment, and which protection it switches off", async () => {
  const csrf = Configuration.bool("CHECK_CSRF", { description: "whether tokens are checked" });
  const lines = async (values: Record<string, string>): Promise<readonly string[]> => {
    using log = capturedLog("info");
    using _ = configuration(values);
    const testHost = host();
    const start = (): void => void setImmediate(() => testHost.interrupt());
    await App.create({ services: [{ ...echo, configuration: [csrf], start }] }).run(["server"], testHost);
    return log.messages();
  };
  assert.deepEqual(await lines({ FRAMEWORK_ENV: "development" }), [
    "Starting in development",
    "CSRF protection is off: CHECK_CSRF is not true",
  ]);
  assert.deepEqual(await lines({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" }), ["Starting in test"]);
  if (process.env["FRAMEWORK_ENV"] === undefined) {
    assert.deepEqual(await lines({}), ["Starting in development: FRAMEWORK_ENV is not set"]);
  }
});

test("the start tells of a key in an env file that looks misspelt", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, ".env"), "LOG_LEVLE=debug\n");
  using log = capturedLog("warning");
  const testHost = host();
  const start = (): void => void setImmediate(() => testHost.interrupt());
  await App.create({ services: [{ ...echo, start }], root }).run(["server"], testHost);
  assert.deepEqual(log.messages(), ["LOG_LEVLE is set in .env, and nothing reads it. Did you mean LOG_LEVEL?"]);
});

test("env files are read from the folder that the application gives", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, ".env"), "GREETING=hello\n");
  const command = Command.make({
    name: "greet",
    description: "Greets",
    run: (_, { output }) => (output.print(Configuration.readString("GREETING")), Command.done),
  });
  assert.equal((await run(App.create({ services: [], commands: [command], root }), "greet")).stdout, "hello");
});

test("config shows what needs each key and where it is set, never a value", async () => {
  const shared = Configuration.string("SHARED_URL", { description: "an address", required: true });
  const secret = Configuration.secret("A_SECRET", { description: "a secret", default: "fallback-value" });
  const services = [
    Service.make({ name: "a", configuration: [shared, secret] }),
    Service.make({ name: "b", configuration: [shared] }),
  ];
  const app = App.create({ services });
  using _ = configuration({ SHARED_URL: "hidden-value", LOG_LEVEL: "loud" });
  const { code, stdout } = await run(app, "config");
  assert.equal(code, 0);
  assert.match(stdout, /SHARED_URL {2}set in: Configuration\.store\n.*an address; string; required; needed by a, b/);
  assert.match(stdout, /A_SECRET {2}not set/);
  assert.match(stdout, /LOG_LEVEL {2}must be one of/);
  assert.doesNotMatch(stdout, /hidden-value|fallback-value|loud/);

  assert.equal((await run(app, "config:list")).stdout, stdout);
  const lines = JSON.parse((await run(app, "config", "--json")).stdout) as readonly Record<string, unknown>[];
  assert.deepEqual(
    lines.find(({ key }) => key === "SHARED_URL"),
    {
      key: "SHARED_URL",
      type: "string",
      description: "an address",
      isRequired: true,
      default: null,
      isSet: true,
      source: "Configuration.store",
      neededBy: ["a", "b"],
      problem: null,
    },
  );
});

test("config --check fails with all problems, or says that all is well", async () => {
  const needed = Configuration.string("NEEDED_URL", { description: "an address", required: true });
  const app = App.create({ services: [Service.make({ name: "a", configuration: [needed] })] });
  const bad = await run(app, "config", "--check");
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /NEEDED_URL/);
  using _ = configuration({ NEEDED_URL: "x" });
  assert.deepEqual(await run(app, "config", "--check"), {
    code: 0,
    stdout: "The configuration is complete.",
    stderr: "",
  });
});

test("random prints as many bytes as asked for, 32 by default", async () => {
  const app = App.create({ services: [] });
  const bytes = async (...args: string[]): Promise<number> =>
    Buffer.from((await run(app, "random", ...args)).stdout, "base64url").length;
  assert.deepEqual([await bytes(), await bytes("1"), await bytes("64")], [32, 1, 64]);
  for (const wrong of ["0", "-1", "1e3", "x", "99999"]) assert.equal((await run(app, "random", wrong)).code, 2, wrong);
});
