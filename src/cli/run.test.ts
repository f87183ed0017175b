import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { test } from "node:test";
import { Command, type ConfigurationField, LimmatError, ok, Service } from "../core/index.ts";
import { App } from "../app/index.ts";
import { capturedLog, configuration, host, run } from "../testing/index.ts";

const add = Command.make({
  name: "todo.add",
  usage: "<title>",
  description: "Adds a to-do",
  run: ([title], { output }) => {
    if (title === undefined) return undefined;
    output.print(`added ${title}`);
    return Command.done;
  },
});
const app = App.create({ services: [], commands: [add] });

const running = (definition: Omit<Command.CommandDefinition, "name" | "description">): App.App =>
  App.create({ services: [], commands: [Command.make({ name: "x", description: "Does x", ...definition })] });

test("a command that is done ends with 0, and its output is the standard output", async () => {
  assert.deepEqual(await run(app, "todo.add", "milk"), { code: 0, stdout: "added milk", stderr: "" });
});

test("a command without arguments that forgets to say that it is done is told so", async () => {
  const { code, stderr } = await run(running({ run: async () => undefined }), "x");
  assert.equal(code, 2);
  assert.match(stderr, /^The command "x" has ended without giving Command\.done\.\n\nUsage: app x/);
});

test("wrong arguments show the usage on the standard error and end with 2", async () => {
  const { code, stdout, stderr } = await run(app, "todo.add");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /^Arguments are missing\.\n\nUsage: app todo\.add <title>\n\nAdds a to-do$/);
});

test("arguments that do not fit are said", async () => {
  const { code, stderr } = await run(app, "random", "many", "bytes");
  assert.equal(code, 2);
  assert.match(stderr, /^These arguments do not fit: many bytes\n\nUsage: app random/);
});

test("what parseArgs refuses is a wrong argument, told before the usage", async () => {
  const { code, stderr } = await run(running({ run: (args) => void parseArgs({ args: [...args] }) }), "x", "--nope");
  assert.equal(code, 2);
  assert.match(stderr, /^Unknown option '--nope'\n\nUsage: app x/);
});

test("no arguments, help and --help list all commands in groups", async () => {
  for (const argv of [[], ["help"], ["--help"], ["-h"]]) {
    const { code, stdout, stderr } = await run(app, ...argv);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      stdout,
      /\n {2}config .*\n[^]*\n {2}server .*\n[^]*\n\ntodo\n {2}todo\.add <title> {2,}Adds a to-do\n/,
    );
  }
});

test("help as the last argument and --help anywhere show the usage and run nothing", async () => {
  for (const argv of [
    ["todo.add", "help"],
    ["todo.add", "milk", "help"],
    ["todo.add", "--help", "milk"],
    ["todo.add", "-h"],
    ["help", "todo.add"],
    ["--help", "todo.add"],
  ]) {
    const { code, stdout } = await run(app, ...argv);
    assert.deepEqual([code, stdout], [0, "Usage: app todo.add <title>\n\nAdds a to-do"], argv.join(" "));
  }
});

test("after -- the word help is an argument like any other", async () => {
  const echo = running({ run: (args, { output }) => (output.print(args.join(" ")), Command.done) });
  assert.equal((await run(echo, "x", "--", "help")).stdout, "-- help");
});

test("an unknown name ends with 2 and suggests what was meant", async () => {
  const { code, stdout, stderr } = await run(app, "todo.dad");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /There is no command "todo\.dad"\. Did you mean "todo\.add"\?/);
  assert.match((await run(app, "serve")).stderr, /"server"/);
  assert.match((await run(app, "add")).stderr, /"todo\.add"/);
  assert.doesNotMatch((await run(app, "zzzzzzzz")).stderr, /Did you mean/);
  assert.equal((await run(app, "help", "todo.dad")).code, 2);
});

test("the name of a group lists its commands", async () => {
  const { code, stderr } = await run(app, "todo");
  assert.equal(code, 2);
  assert.match(stderr, /group[^]*todo\.add <title>/);
});

test("a throw is one report with code, message and causes, and ends with 1", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "production" });
  const boom = Object.assign(new Error("boom", { cause: new TypeError("inner") }), { code: "E_BOOM" });
  const result = await run(running({ run: () => Promise.reject(boom) }), "x");
  assert.deepEqual(result, { code: 1, stdout: "", stderr: "Error [E_BOOM]: boom\n  because: TypeError: inner" });
});

test("what an error of the framework explains is shown without a stack, and nothing is said twice", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "development" });
  const taken = new LimmatError("E_TAKEN", "The port is taken.", { cause: new Error("listen failed") });
  const start = new LimmatError("E_SERVICE_START", `It could not start: ${taken.message}`, { cause: taken });
  const { stderr } = await run(running({ run: () => Promise.reject(start) }), "x");
  assert.equal(
    stderr,
    "Error [E_SERVICE_START]: It could not start: The port is taken.\n  because [E_TAKEN]\n    because: listen failed",
  );
});

test("the stack is shown in development and with LOG_LEVEL=debug, never otherwise", async () => {
  const broken = running({ run: () => Promise.reject(new Error("boom")) });
  const stack = async (values: Record<string, string>): Promise<boolean> => {
    using _ = configuration(values);
    return (await run(broken, "x")).stderr.includes("run.test.ts");
  };
  assert.equal(await stack({ FRAMEWORK_ENV: "development" }), true);
  assert.equal(await stack({ FRAMEWORK_ENV: "production" }), false);
  assert.equal(await stack({ FRAMEWORK_ENV: "production", LOG_LEVEL: "debug" }), true);
});

test("two commands of one name are refused, and both owners named", async () => {
  const service = Service.make({ name: "todos", commands: [add] });
  const { code, stderr } = await run(App.create({ services: [service], commands: [add] }), "todo.add", "milk");
  assert.equal(code, 1);
  assert.match(stderr, /E_COMMAND_NAME_TAKEN.*"todo\.add".*the service "todos".*the application/);
  const server = App.create({ services: [], commands: [{ ...add, name: "server" }] });
  assert.match((await run(server)).stderr, /limmat.*the application/);
});

test("a name that cannot be typed is refused", async () => {
  for (const name of ["", "Todo", "--x", "a b", "a..b", "a.", "1"]) {
    const { stderr } = await run(App.create({ services: [], commands: [{ ...add, name }] }));
    assert.match(stderr, /E_COMMAND_NAME_INVALID/, name);
  }
});

test("what a command depends on starts before it and stops after it, whatever happens", async () => {
  for (const [outcome, code] of [
    [() => Command.done, 0],
    [() => undefined, 2],
    [() => Promise.reject(new Error("boom")), 1],
  ] as const) {
    const told: string[] = [];
    const service = (name: string, dependencies: readonly Service.Service[] = []): Service.Service =>
      Service.make({
        name,
        dependencies: () => dependencies,
        start: () => void told.push(`start ${name}`),
        stop: () => void told.push(`stop ${name}`),
      });
    const repository = service("repository", [service("database")]);
    const work = running({ dependencies: () => [repository], run: () => (told.push("run"), outcome()) });
    assert.equal((await run(work, "x")).code, code);
    assert.deepEqual(told, ["start database", "start repository", "run", "stop repository", "stop database"]);
  }
});

test("a stop that fails after a command that failed hides neither", async () => {
  const stuck = Service.make({ name: "stuck", stop: () => Promise.reject(new Error("no stop")) });
  const work = running({ dependencies: () => [stuck], run: () => Promise.reject(new Error("no run")) });
  const { code, stderr } = await run(work, "x");
  assert.equal(code, 1);
  assert.match(stderr, /no run[^]*no stop/);
});

test("missing configuration of what a command starts is told at once, before anything starts", async () => {
  const field = (key: string): ConfigurationField => ({
    key,
    type: "string",
    description: `the ${key}`,
    isRequired: () => true,
    default: () => undefined,
    parse: ok,
  });
  let isStarted = false;
  const hidden = Service.make({
    name: "hidden",
    configuration: [field("A_URL")],
    start: () => void (isStarted = true),
  });
  const service = Service.make({ name: "shown", configuration: [field("B_URL")], dependencies: () => [hidden] });
  const work = running({ dependencies: () => [service], run: () => Command.done });
  const { code, stderr } = await run(work, "x");
  assert.deepEqual([code, isStarted], [1, false]);
  assert.match(stderr, /A_URL[^]*B_URL/);
  for (const argv of [["help"], ["random"], ["config"]]) assert.equal((await run(work, ...argv)).code, 0);
});

test("a command cut short by a signal stops its services and ends with 128 and the signal's number", async () => {
  const testHost = host();
  let isStopped = false;
  const service = Service.make({ name: "s", stop: () => void (isStopped = true) });
  const work = running({
    dependencies: () => [service],
    run: async (_, { signal }) => {
      testHost.interrupt("SIGTERM");
      signal.throwIfAborted();
      return Command.done;
    },
  });
  assert.equal(await work.run(["x"], testHost), 143);
  assert.equal(isStopped, true);
  assert.equal(testHost.exitCode(), undefined);
});

test("a second signal ends at once", async () => {
  const testHost = host();
  const work = running({
    run: () => {
      testHost.interrupt();
      assert.equal(testHost.exitCode(), undefined);
      testHost.interrupt();
      return Command.done;
    },
  });
  await work.run(["x"], testHost);
  assert.equal(testHost.exitCode(), 130);
});

test("a fault that nothing catches fails a command, and leaves a long-running one alone", async () => {
  using log = capturedLog();
  const outcome = async (isLongRunning: boolean): Promise<number> => {
    const testHost = host();
    const work = running({
      isLongRunning,
      run: async (_, { signal }) => {
        testHost.fault(new Error("lost"));
        if (isLongRunning) testHost.interrupt();
        if (!signal.aborted || !isLongRunning) await new Promise(() => {});
        return Command.done;
      },
    });
    return work.run(["x"], testHost);
  };
  assert.equal(await outcome(false), 1);
  assert.deepEqual(log.messages(), []);
  assert.equal(await outcome(true), 0);
  assert.deepEqual(log.messages(), ["Something was thrown that nothing caught"]);
});
