import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { Command, Service } from "../core/index.ts";
import { Log, LogInternals } from "../log/index.ts";
import { capturedLog, configuration, makeTestHost, runCommand } from "../testing/index.ts";
import { App } from "./index.ts";

afterEach(ConfigurationInternals.reset);

const echo = Service.make({
  name: "echo",
  fetch: async (request) => new Response(`${request.method} ${request.url} ${await request.text()}`),
});

const recording = (name: string, events: string[], definition: Partial<Service.Service> = {}): Service.Service =>
  Service.make({
    name,
    start: () => void events.push(`start ${name}`),
    stop: () => void events.push(`stop ${name}`),
    ...definition,
  });

test("answers a path and a web-standard request without a socket", async () => {
  const app = App.create({ services: [echo] });
  const posted = await app.request("/todos?x=1", { method: "POST", body: "hello" });
  assert.equal(await posted.text(), "POST http://localhost/todos?x=1 hello");
  const fetched = await app.fetch(new Request("https://example.org/"));
  assert.equal(await fetched.text(), "GET https://example.org/ ");
});

test("reports an application without a server or with two", async () => {
  const none = App.create({ services: [] });
  assert.throws(() => none.fetch(new Request("http://localhost")), { code: "E_APP_NO_SERVER" });
  assert.match((await runCommand(none, "server")).stderr, /E_APP_NO_SERVER/);
  const two = App.create({ services: [echo, { ...echo, name: "second" }] });
  const { code, stderr } = await runCommand(two, "server");
  assert.equal(code, 1);
  assert.match(stderr, /E_APP_SEVERAL_SERVERS.*echo, second/);
});

test("runs the hooks before start and after stop, and can start again", async () => {
  const events: string[] = [];
  const app = App.create({
    services: [recording("a", events), recording("b", events)],
    beforeStart: () => void events.push("before"),
    afterStop: () => void events.push("after"),
  });
  for (let round = 0; round < 2; round++) {
    await app.start();
    await assert.rejects(app.start(), { code: "E_APP_RUNNING" });
    await Promise.all([app.stop(), app.stop()]);
    await app.stop();
    assert.deepEqual(events.splice(0), ["before", "start a", "start b", "stop b", "stop a", "after"]);
  }
});

test("a command reuses started services, starts the missing ones, and stops only these", async () => {
  const events: string[] = [];
  const [a, b] = [recording("a", events), recording("b", events)];
  const workCommand = Command.make({
    name: "work",
    description: "Works",
    dependencies: () => [a, b],
    run: () => {
      events.push("work");
      return Command.done;
    },
  });
  const app = App.create({
    services: [a],
    commands: [workCommand],
    beforeStart: () => void events.push("before"),
    afterStop: () => void events.push("after"),
  });
  await app.start();
  assert.equal((await runCommand(app, "work")).code, 0);
  await app.stop();
  assert.deepEqual(events.splice(0), ["before", "start a", "start b", "work", "stop b", "stop a", "after"]);
  assert.equal((await runCommand(app, "work")).code, 0);
  assert.deepEqual(events, ["before", "start a", "start b", "work", "stop b", "stop a", "after"]);
});

test("start without the server starts the server's dependencies", async () => {
  const events: string[] = [];
  const database = recording("database", events);
  const server = recording("server", events, { dependencies: () => [database], fetch: () => Promise.reject() });
  const app = App.create({ services: [recording("queue", events), server] });
  await app.start({ server: false });
  assert.deepEqual(events, ["start queue", "start database"]);
  await app.stop();
});

test("start without the server verifies the server's definition, before a service starts", async () => {
  const events: string[] = [];
  const verify = (): never => {
    throw new Error("two routes");
  };
  const app = App.create({ services: [recording("queue", events), { ...echo, verify }] });
  await assert.rejects(app.start({ server: false }), /^Error: two routes$/);
  assert.deepEqual(events, []);
});

test("checks and lists the configuration keys of the application itself", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, ".env"), "SHOP_API_KY=1\nSHOP_PROT=2\n");
  const fields = [
    Configuration.string("SHOP_API_KEY", { description: "the key of the shop", required: true }),
    Configuration.int("SHOP_PORT", { description: "its port", default: 1 }),
  ];
  const app = App.create({ services: [echo], configuration: fields, root });
  for (const server of [true, false]) {
    await assert.rejects(app.start({ server }), (error: Error) => {
      assert.match(error.message, /^ {2}SHOP_API_KEY {2}is not set \(the key of the shop\)$/m);
      assert.match(
        error.message,
        /^SHOP_API_KY is set in \.env:1, and nothing reads it\. Did you mean SHOP_API_KEY\?$/m,
      );
      assert.doesNotMatch(error.message, /SHOP_PROT/);
      return true;
    });
  }
  const { stdout } = await runCommand(app, "config", "--json");
  const rows = JSON.parse(stdout) as readonly { readonly key: string; readonly neededBy: readonly string[] }[];
  assert.deepEqual(rows.find(({ key }) => key === "SHOP_API_KEY")?.neededBy, ["App.create"]);
  Configuration.store([["SHOP_API_KEY", "x"]]);
  await app.start();
  await app.stop();
});

test("checks the configuration of the application beside a service that is named application, for a command too", async () => {
  const fields = [Configuration.string("SHOP_API_KEY", { description: "the key of the shop", required: true })];
  const namesake = Service.make({ ...echo, name: "application" });
  const command = Command.make({
    name: "sell",
    description: "Sells",
    dependencies: () => [namesake],
    run: () => Command.done,
  });
  const app = App.create({ services: [namesake], configuration: fields, commands: [command] });
  const { stderr } = await runCommand(app, "sell");
  assert.match(stderr, /SHOP_API_KEY {2}is not set/);
  assert.equal(stderr.match(/SHOP_API_KEY {2}/g)?.length, 1);
  Configuration.store([["SHOP_API_KEY", "x"]]);
  assert.equal((await runCommand(app, "sell")).code, 0);
  await app.start();
  await app.stop();
});

test("a failed start stops the started services, runs afterStop, and can be retried", async () => {
  const events: string[] = [];
  let isBroken = true;
  const flaky = recording("flaky", events, { start: () => (isBroken ? Promise.reject(new Error("busy")) : undefined) });
  const app = App.create({ services: [recording("a", events), flaky], afterStop: () => void events.push("after") });
  await assert.rejects(app.start(), { code: "E_SERVICE_START" });
  assert.deepEqual(events.splice(0), ["start a", "stop a", "after"]);
  isBroken = false;
  await app.start();
  await app.stop();
});

test("reporters replace the destinations of the log, and keep what beforeStart configured", async (t) => {
  t.after(LogInternals.reset);
  const entries: Log.Entry[] = [];
  const log = Log.source("test");
  const app = App.create({
    services: [],
    reporters: [{ report: (entry) => void entries.push(entry) }],
    beforeStart: () => Log.configure({ level: "warning", redact: ["client"] }),
  });
  await app.start();
  log.info("Hidden");
  log.warning("Shown", { client: "192.0.2.1" });
  {
    using captured = capturedLog();
    log.info("Captured", { client: "192.0.2.1" });
    assert.deepEqual(captured.entries[0]?.fields, { client: "[redacted]" });
  }
  log.warning("Shown again", { client: "192.0.2.1" });
  await app.stop();
  const shown = entries.map(({ message, fields }) => [message, fields]);
  assert.deepEqual(shown, [
    ["Shown", { client: "[redacted]" }],
    ["Shown again", { client: "[redacted]" }],
  ]);
});

test("starts nothing when beforeStart fails", async () => {
  const events: string[] = [];
  const app = App.create({
    services: [recording("a", events), echo],
    beforeStart: () => Promise.reject(new Error("no")),
    afterStop: () => void events.push("after"),
  });
  const { code, stderr } = await runCommand(app, "server");
  assert.deepEqual([code, events], [1, []]);
  assert.match(stderr, /Error: no/);
});

test("the server command runs all services until a signal, then exits with 0", async () => {
  using _ = capturedLog();
  const events: string[] = [];
  const testHost = makeTestHost();
  const server = recording("server", events, {
    fetch: () => Promise.reject(),
    start: () => void setImmediate(() => testHost.interrupt("SIGTERM")),
  });
  const app = App.create({ services: [recording("a", events), server], afterStop: () => void events.push("after") });
  assert.equal(await app.run(["server"], testHost), 0);
  assert.deepEqual(events, ["start a", "stop server", "stop a", "after"]);
});

test("a signal during the start stops the started services and starts no more", async () => {
  using _ = capturedLog();
  const events: string[] = [];
  const testHost = makeTestHost();
  const slow = recording("slow", events, { start: () => testHost.interrupt("SIGTERM") });
  const app = App.create({
    services: [recording("a", events), slow, echo],
    afterStop: () => void events.push("after"),
  });
  assert.equal(await app.run(["server"], testHost), 0);
  assert.deepEqual(events, ["start a", "stop slow", "stop a", "after"]);
  assert.equal(testHost.exitCode(), undefined);
});

test("a failed stop throws, and the application can start again", async () => {
  const app = App.create({ services: [Service.make({ name: "a", stop: () => Promise.reject(new Error("no")) })] });
  await app.start();
  await assert.rejects(app.stop(), { code: "E_SERVICE_STOP" });
  await app.start();
  await assert.rejects(app.stop(), { code: "E_SERVICE_STOP" });
});

test("the server command reports all missing and invalid keys at once, and starts nothing", async () => {
  const events: string[] = [];
  const key = (name: string): Partial<Service.Service> => ({
    configuration: [Configuration.string(name, { description: `the ${name}`, required: true })],
  });
  const hidden = recording("hidden", events, key("HIDDEN_URL"));
  const app = App.create({
    services: [recording("a", events, { ...key("A_URL"), dependencies: () => [hidden] }), echo],
  });
  using _ = configuration({ SHUTDOWN_TIMEOUT: "soon" });
  const { code, stderr } = await runCommand(app, "server");
  assert.deepEqual([code, events], [1, []]);
  for (const name of ["A_URL", "HIDDEN_URL", "SHUTDOWN_TIMEOUT"]) assert.match(stderr, new RegExp(name));
  assert.doesNotMatch(stderr, /soon/);
});

test("values that beforeStart stores count as configuration", async () => {
  const field = Configuration.string("STORED_URL", { description: "the URL", required: true });
  const events: string[] = [];
  const app = App.create({
    services: [recording("a", events, { configuration: [field] })],
    beforeStart: () => Configuration.store([["STORED_URL", "x"]]),
    afterStop: () => void events.push("after"),
  });
  await app.start();
  await app.stop();
  assert.deepEqual(events.splice(0), ["start a", "stop a", "after"]);
  ConfigurationInternals.reset();
  const { code, stdout } = await runCommand(app, "config", "--check");
  assert.deepEqual([code, stdout, events], [0, "The configuration is complete.", ["after"]]);
});

test("logs the environment at start", async () => {
  const lines = async (values: Record<string, string>): Promise<readonly string[]> => {
    using log = capturedLog("info");
    using _ = configuration(values);
    const testHost = makeTestHost();
    const start = (): void => void setImmediate(() => testHost.interrupt());
    await App.create({ services: [{ ...echo, start }] }).run(["server"], testHost);
    return log.messages();
  };
  for (const environment of ["development", "test"])
    assert.deepEqual(await lines({ FRAMEWORK_ENV: environment }), [`Starting in ${environment}`]);
  if (process.env["FRAMEWORK_ENV"] === undefined) {
    assert.deepEqual(await lines({}), ["Starting in development: FRAMEWORK_ENV is not set"]);
  }
});

test("warns at start about a misspelled key in an env file", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, ".env"), "LOG_LEVLE=debug\n");
  using log = capturedLog("warning");
  const testHost = makeTestHost();
  const start = (): void => void setImmediate(() => testHost.interrupt());
  await App.create({ services: [{ ...echo, start }], root }).run(["server"], testHost);
  assert.deepEqual(log.messages(), ["LOG_LEVLE is set in .env:1, and nothing reads it. Did you mean LOG_LEVEL?"]);
});

test("reads env files from the root of the application", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "limmat-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, ".env"), "GREETING=hello\n");
  const command = Command.make({
    name: "greet",
    description: "Greets",
    run: (_, { output }) => (output.print(Configuration.readString("GREETING")), Command.done),
  });
  assert.equal((await runCommand(App.create({ services: [], commands: [command], root }), "greet")).stdout, "hello");
});

test("config shows the services that need each key and its source, never a value", async () => {
  const shared = Configuration.string("SHARED_URL", { description: "an address", required: true });
  const secret = Configuration.secret("A_SECRET", { description: "a secret", default: "fallback-value" });
  const services = [
    Service.make({ name: "a", configuration: [shared, secret] }),
    Service.make({ name: "b", configuration: [shared] }),
  ];
  const app = App.create({ services });
  using _ = configuration({ SHARED_URL: "hidden-value", LOG_LEVEL: "loud" });
  const { code, stdout } = await runCommand(app, "config");
  assert.equal(code, 0);
  assert.match(stdout, /SHARED_URL {2}set in: Configuration\.store\n.*an address; string; required; needed by a, b/);
  assert.match(stdout, /A_SECRET {2}not set/);
  assert.match(stdout, /LOG_LEVEL {2}must be one of/);
  assert.doesNotMatch(stdout, /hidden-value|fallback-value|loud/);

  assert.equal((await runCommand(app, "config:list")).stdout, stdout);
  const lines = JSON.parse((await runCommand(app, "config", "--json")).stdout) as readonly Record<string, unknown>[];
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

test("config --check fails with all problems, or confirms that there are none", async () => {
  const needed = Configuration.string("NEEDED_URL", { description: "an address", required: true });
  const app = App.create({ services: [Service.make({ name: "a", configuration: [needed] })] });
  const bad = await runCommand(app, "config", "--check");
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /NEEDED_URL/);
  using _ = configuration({ NEEDED_URL: "x" });
  assert.deepEqual(await runCommand(app, "config", "--check"), {
    code: 0,
    stdout: "The configuration is complete.",
    stderr: "",
  });
});

test("random prints the requested number of bytes, 32 by default", async () => {
  const app = App.create({ services: [] });
  const bytes = async (...args: string[]): Promise<number> =>
    Buffer.from((await runCommand(app, "random", ...args)).stdout, "base64url").length;
  assert.deepEqual([await bytes(), await bytes("1"), await bytes("64")], [32, 1, 64]);
  for (const wrong of ["0", "-1", "1e3", "x", "99999"])
    assert.equal((await runCommand(app, "random", wrong)).code, 2, wrong);
});
