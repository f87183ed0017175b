import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { test } from "node:test";
import { Command, type ConfigurationField, LimmatError, ok, Service } from "../core/index.ts";
import { App } from "../app/index.ts";
import { capturedLog, configuration, makeTestHost, runCommand } from "../testing/index.ts";

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

const appWith = (definition: Omit<Command.CommandDefinition, "name" | "description">): App.Application =>
  App.create({ services: [], commands: [Command.make({ name: "x", description: "Does x", ...definition })] });

test("exits with 0 after a successful command and prints to the standard output", async () => {
  assert.deepEqual(await runCommand(app, "todo.add", "milk"), { code: 0, stdout: "added milk", stderr: "" });
});

test("reports a command without arguments that does not return Command.done", async () => {
  const { code, stderr } = await runCommand(appWith({ run: async () => undefined }), "x");
  assert.equal(code, 2);
  assert.match(stderr, /^The command "x" did not return Command\.done\.\n\nUsage: app x/);
});

test("prints the usage to the standard error and exits with 2 if arguments are missing", async () => {
  const { code, stdout, stderr } = await runCommand(app, "todo.add");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /^Arguments are missing: <title>\n\nUsage: app todo\.add <title>\n\nAdds a to-do$/);
});

test("refuses a command whose options npm took for itself", async () => {
  let runs = 0;
  const count = (): Command.Done => {
    runs += 1;
    return Command.done;
  };
  const application = appWith({
    usage: "<name> [--dry-run] [--no-model]",
    details: "--force  overwrites files",
    run: count,
  });
  const event = process.env["npm_lifecycle_event"];
  Object.assign(process.env, { npm_lifecycle_event: "app", npm_config_dry_run: "true", npm_config_model: "" });
  try {
    const { code, stderr } = await runCommand(application, "x", "note");
    assert.equal(code, 2);
    assert.match(stderr, /^npm took --dry-run --no-model for itself, and the command did not run\./);
    assert.match(stderr, /^ {2}npm run app x … -- --dry-run --no-model$/m);
    assert.equal((await runCommand(application, "x", "note", "--dry-run", "--no-model")).code, 0);
    process.env["NPM_CONFIG_DRY_RUN"] = "true";
    assert.match((await runCommand(application, "x", "note")).stderr, /^npm took --no-model for itself/);
    process.env["npm_lifecycle_event"] = "npx";
    assert.equal((await runCommand(application, "x", "note")).code, 0);
    assert.equal(runs, 2);
  } finally {
    const names = ["npm_lifecycle_event", "npm_config_dry_run", "npm_config_model", "NPM_CONFIG_DRY_RUN"];
    for (const name of names) delete process.env[name];
    if (event !== undefined) process.env["npm_lifecycle_event"] = event;
  }
});

test("names invalid arguments", async () => {
  const { code, stderr } = await runCommand(app, "random", "many", "bytes");
  assert.equal(code, 2);
  assert.match(stderr, /^Invalid arguments: many bytes\n\nUsage: app random/);
});

test("prints the message of parseArgs before the usage", async () => {
  const { code, stderr } = await runCommand(
    appWith({ run: (args) => void parseArgs({ args: [...args] }) }),
    "x",
    "--nope",
  );
  assert.equal(code, 2);
  assert.match(stderr, /^Unknown option '--nope'\n\nUsage: app x/);
});

test("lists all commands in groups without arguments, with help and with --help", async () => {
  for (const argv of [[], ["help"], ["--help"], ["-h"]]) {
    const { code, stdout, stderr } = await runCommand(app, ...argv);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      stdout,
      /\n {2}config .*\n[^]*\n {2}server .*\n[^]*\n\ntodo\n {2}todo\.add <title> {2,}Adds a to-do\n/,
    );
  }
});

test("shows the usage and runs nothing with help as the last argument and --help anywhere", async () => {
  for (const argv of [
    ["todo.add", "help"],
    ["todo.add", "milk", "help"],
    ["todo.add", "--help", "milk"],
    ["todo.add", "-h"],
    ["help", "todo.add"],
    ["--help", "todo.add"],
  ]) {
    const { code, stdout } = await runCommand(app, ...argv);
    assert.deepEqual([code, stdout], [0, "Usage: app todo.add <title>\n\nAdds a to-do"], argv.join(" "));
  }
});

test("lists the commands of a group on the standard output when its help is requested", async () => {
  for (const argv of [
    ["help", "todo"],
    ["todo", "--help"],
    ["todo", "help"],
  ]) {
    const { code, stdout, stderr } = await runCommand(app, ...argv);
    assert.deepEqual([code, stderr], [0, ""], argv.join(" "));
    assert.match(stdout, /todo\.add <title>/);
  }
});

test("answers help for an unknown command as the unknown command itself", async () => {
  for (const argv of [
    ["help", "todo.dad"],
    ["todo.dad", "--help"],
  ]) {
    assert.deepEqual(await runCommand(app, ...argv), await runCommand(app, "todo.dad"));
  }
  assert.match((await runCommand(app, "help", "help")).stdout, /^Usage: app help \[command\]/);
  assert.equal((await runCommand(app, "help", "todo.add", "todo.add")).code, 2);
});

test("treats help after -- as an argument", async () => {
  const echo = appWith({ run: (args, { output }) => (output.print(args.join(" ")), Command.done) });
  assert.equal((await runCommand(echo, "x", "--", "help")).stdout, "-- help");
});

test("exits with 2 for an unknown command and suggests similar names", async () => {
  const { code, stdout, stderr } = await runCommand(app, "todo.dad");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /There is no command "todo\.dad"\. Did you mean "todo\.add"\?/);
  assert.match((await runCommand(app, "serve")).stderr, /"server"/);
  assert.match((await runCommand(app, "add")).stderr, /"todo\.add"/);
  assert.doesNotMatch((await runCommand(app, "zzzzzzzz")).stderr, /Did you mean/);
});

test("lists the commands of a group when its name is given", async () => {
  const { code, stderr } = await runCommand(app, "todo");
  assert.equal(code, 2);
  assert.match(stderr, /group[^]*todo\.add <title>/);
});

test("prints code, message and causes of a thrown error once and exits with 1", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "production" });
  const boom = Object.assign(new Error("boom", { cause: new TypeError("inner") }), { code: "E_BOOM" });
  const result = await runCommand(appWith({ run: () => Promise.reject(boom) }), "x");
  assert.deepEqual(result, { code: 1, stdout: "", stderr: "Error [E_BOOM]: boom\n  because: TypeError: inner" });
});

test("prints errors of the framework without a stack and repeats no message", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "development" });
  const portError = new LimmatError("E_TAKEN", "The port is taken.", { cause: new Error("listen failed") });
  const startError = new LimmatError("E_SERVICE_START", `It could not start: ${portError.message}`, {
    cause: portError,
  });
  const { stderr } = await runCommand(appWith({ run: () => Promise.reject(startError) }), "x");
  assert.equal(
    stderr,
    "Error [E_SERVICE_START]: It could not start: The port is taken.\n  because [E_TAKEN]\n    because: listen failed",
  );
});

test("leaves out a cause whose message and code the error repeats", async () => {
  const cause = Object.assign(new Error("listen EADDRINUSE: address in use"), { code: "EADDRINUSE" });
  const error = new LimmatError("E_LISTEN", `Cannot listen: ${cause.message}. Set PORT.`, { cause });
  const { stderr } = await runCommand(appWith({ run: () => Promise.reject(error) }), "x");
  assert.equal(stderr, "Error [E_LISTEN]: Cannot listen: listen EADDRINUSE: address in use. Set PORT.");
});

test("prints the stack only in development and with LOG_LEVEL=debug", async () => {
  const failingApp = appWith({ run: () => Promise.reject(new Error("boom")) });
  const printsStack = async (values: Record<string, string>): Promise<boolean> => {
    using _ = configuration(values);
    return (await runCommand(failingApp, "x")).stderr.includes("run.test.ts");
  };
  assert.equal(await printsStack({ FRAMEWORK_ENV: "development" }), true);
  assert.equal(await printsStack({ FRAMEWORK_ENV: "production" }), false);
  assert.equal(await printsStack({ FRAMEWORK_ENV: "production", LOG_LEVEL: "debug" }), true);
});

test("refuses two commands with the same name and names both owners", async () => {
  const service = Service.make({ name: "todos", commands: [add] });
  const { code, stderr } = await runCommand(App.create({ services: [service], commands: [add] }), "todo.add", "milk");
  assert.equal(code, 1);
  assert.match(stderr, /E_COMMAND_NAME_TAKEN.*"todo\.add".*the service "todos".*the application/);
  const server = App.create({ services: [], commands: [{ ...add, name: "server" }] });
  assert.match((await runCommand(server)).stderr, /limmat.*the application/);
});

test("refuses command names that are not in dot style", async () => {
  for (const name of ["", "Todo", "--x", "a b", "a..b", "a.", "1"]) {
    const { stderr } = await runCommand(App.create({ services: [], commands: [{ ...add, name }] }));
    assert.match(stderr, /E_COMMAND_NAME_INVALID/, name);
  }
});

test("starts dependencies before a command and stops them after it, also when it fails", async () => {
  for (const [outcome, code] of [
    [() => Command.done, 0],
    [() => undefined, 2],
    [() => Promise.reject(new Error("boom")), 1],
  ] as const) {
    const events: string[] = [];
    const service = (name: string, dependencies: readonly Service.Service[] = []): Service.Service =>
      Service.make({
        name,
        dependencies: () => dependencies,
        start: () => void events.push(`start ${name}`),
        stop: () => void events.push(`stop ${name}`),
      });
    const repository = service("repository", [service("database")]);
    const application = appWith({ dependencies: () => [repository], run: () => (events.push("run"), outcome()) });
    assert.equal((await runCommand(application, "x")).code, code);
    assert.deepEqual(events, ["start database", "start repository", "run", "stop repository", "stop database"]);
  }
});

test("reports both errors if the command and a stop fail", async () => {
  const stuck = Service.make({ name: "stuck", stop: () => Promise.reject(new Error("no stop")) });
  const application = appWith({ dependencies: () => [stuck], run: () => Promise.reject(new Error("no run")) });
  const { code, stderr } = await runCommand(application, "x");
  assert.equal(code, 1);
  assert.match(stderr, /no run[^]*no stop/);
});

test("reports all missing configuration of the dependencies before anything starts", async () => {
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
  const application = appWith({ dependencies: () => [service], run: () => Command.done });
  const { code, stderr } = await runCommand(application, "x");
  assert.deepEqual([code, isStarted], [1, false]);
  assert.match(stderr, /A_URL[^]*B_URL/);
  for (const argv of [["help"], ["random"], ["config"]]) assert.equal((await runCommand(application, ...argv)).code, 0);
});

test("stops the services and exits with 128 plus the signal number when a signal interrupts a command", async () => {
  const testHost = makeTestHost();
  let isStopped = false;
  const service = Service.make({ name: "s", stop: () => void (isStopped = true) });
  const application = appWith({
    dependencies: () => [service],
    run: async (_, { signal }) => {
      testHost.interrupt("SIGTERM");
      signal.throwIfAborted();
      return Command.done;
    },
  });
  assert.equal(await application.run(["x"], testHost), 143);
  assert.equal(isStopped, true);
  assert.equal(testHost.exitCode(), undefined);
});

test("exits immediately on a second signal", async () => {
  const testHost = makeTestHost();
  const application = appWith({
    run: () => {
      testHost.interrupt();
      assert.equal(testHost.exitCode(), undefined);
      testHost.interrupt();
      return Command.done;
    },
  });
  await application.run(["x"], testHost);
  assert.equal(testHost.exitCode(), 130);
});

test("an uncaught error fails a short command, and is only logged by a long-running one", async () => {
  using log = capturedLog();
  const outcome = async (isLongRunning: boolean): Promise<number> => {
    const testHost = makeTestHost();
    const application = appWith({
      isLongRunning,
      run: async (_, { signal }) => {
        testHost.raiseUncaughtError(new Error("lost"));
        if (isLongRunning) testHost.interrupt();
        if (!signal.aborted || !isLongRunning) await new Promise(() => {});
        return Command.done;
      },
    });
    return application.run(["x"], testHost);
  };
  assert.equal(await outcome(false), 1);
  assert.deepEqual(log.messages(), []);
  assert.equal(await outcome(true), 0);
  assert.deepEqual(log.messages(), ["Uncaught error"]);
});
