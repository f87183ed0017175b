import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { freePort } from "./servers/process.ts";

const fixture = new URL("./fixtures/serve.ts", import.meta.url).pathname;

const flags = ["--conditions=@limmat/source", "--input-type=module-typescript", "-e"];

interface Child {
  readonly process: ChildProcess;
  readonly text: () => string;
  /** Waits until the output contains a text. */
  readonly says: (part: string) => Promise<void>;
  /** Resolves to the port that the child prints. */
  readonly port: Promise<number>;
  readonly exit: Promise<number | null>;
}

function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, ...args], {
    env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "info", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  const port = Promise.withResolvers<number>();
  const read = (chunk: Buffer): void => {
    text += chunk.toString();
    const match = /^port (\d+)$/m.exec(text);
    if (match !== null) port.resolve(Number(match[1]));
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  let isOver = false;
  const exit = once(child, "close").then(([code]) => {
    isOver = true;
    port.reject(new Error(`ended before it listened:\n${text}`));
    return code as number | null;
  });
  port.promise.catch(() => {});
  const says = async (part: string): Promise<void> => {
    while (!text.includes(part)) {
      assert.ok(!isOver, `ended before it said "${part}":\n${text}`);
      await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), exit]);
    }
  };
  return { process: child, text: () => text, says, port: port.promise, exit };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`${signal} stops the services in reverse order and exits with 0`, async (t) => {
    const child = start(t, ["server"]);
    await child.port;
    child.process.kill(signal);
    assert.equal(await child.exit, 0);
    assert.match(child.text(), /Starting in test\ndatabase starts\nport \d+\n[^]*database stops\nafter stop\n/);
  });
}

test("names a service that does not stop within the timeout, and exits with 1", async (t) => {
  const child = start(t, ["server"], { BEHAVIOUR: "hang", SHUTDOWN_TIMEOUT: "2s" });
  await child.port;
  child.process.kill("SIGTERM");
  assert.equal(await child.exit, 1);
  assert.match(child.text(), /Gave up after 2s: still waiting for the service "database", which is stopping/);
});

test("a second signal ends the process immediately", async (t) => {
  const child = start(t, ["server"], { BEHAVIOUR: "hang" });
  await child.port;
  child.process.kill("SIGTERM");
  await child.says("database stops");
  child.process.kill("SIGTERM");
  assert.equal(await child.exit, 143);
});

test("a command that a signal interrupts stops its services and exits with 130", async (t) => {
  const child = start(t, ["wait"]);
  await child.port;
  child.process.kill("SIGINT");
  assert.equal(await child.exit, 130);
  assert.match(child.text(), /database stops/);
});

test("an unhandled rejection and a throw in a callback are logged, and the server keeps running", async (t) => {
  const child = start(t, ["server"]);
  const origin = `http://127.0.0.1:${await child.port}`;
  for (const path of ["/rejection", "/throw", "/"]) {
    assert.equal(await (await fetch(origin + path)).text(), "hello");
  }
  child.process.kill("SIGTERM");
  assert.equal(await child.exit, 0);
  assert.equal(child.text().match(/Uncaught error/g)?.length, 2);
});

test("an unhandled rejection of a request is logged once, with the command server and in an embedding program", async () => {
  const program = (body: string): string => `
    import { App, Web } from "limmat";
    const get = Web.get("/", () => (void Promise.reject(new Error("forgotten")), Web.Response.text("hello")));
    const app = App.create({ services: [Web.Http.service({ router: Web.choose([get]), name: "http" })] });
    const http = () => fetch("http://127.0.0.1:" + process.env.PORT).then((response) => response.text());
    ${body}`;
  const port = await freePort();
  // The first program sends requests until the server answers. The second sends two requests.
  const served = `void app.run(["server"]);
    while (!(await http().catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 20));`;
  for (const [body, expectedLogs] of [
    [`${served} process.kill(process.pid, "SIGTERM");`, 1],
    ["await app.start(); await http(); await http(); await app.stop();", 2],
  ] as const) {
    const child = spawn(process.execPath, [...flags, program(body)], {
      env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "error", PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    assert.deepEqual(await once(child, "close"), [0, null], text);
    assert.equal(text.match(/"message":"forgotten"/g)?.length, expectedLogs, text);
  }
});

test("a port in use fails the start with one report and code 1, and stops the started services", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const address = taken.address();
  assert.ok(address !== null && typeof address === "object");
  const child = start(t, ["server"], { PORT: String(address.port) });
  assert.equal(await child.exit, 1);
  assert.match(child.text(), /database stops\nafter stop\n/);
  assert.equal(child.text().match(/^Error/gm)?.length, 1);
  assert.match(child.text(), /E_SERVICE_START.*The service "web" could not start: .*EADDRINUSE/);
});

test("a command that leaves a timer behind still ends with its exit code", async (t) => {
  const child = start(t, ["leak"]);
  assert.equal(await child.exit, 0);
  assert.match(child.text(), /keep the process alive: .*Timeout/);
});

test("colours the output at terminals only, and never with NO_COLOR", async (t) => {
  const isColoured = async (env: Readonly<Record<string, string>>): Promise<boolean> => {
    const child = start(t, ["help"], { NO_COLOR: "", ...env });
    assert.equal(await child.exit, 0);
    return child.text().includes("\u001B[");
  };
  assert.equal(await isColoured({}), false);
  assert.equal(await isColoured({ FORCE_COLOR: "1" }), true);
  assert.equal(await isColoured({ NO_COLOR: "1" }), false);
});

test("a closed standard output is not a failure", async (t) => {
  const child = start(t, ["help"]);
  child.process.stdout?.destroy();
  assert.equal(await child.exit, 0);
});

test("an invalid FRAMEWORK_ENV prevents the start of every service", async (t) => {
  const child = start(t, ["server"], { FRAMEWORK_ENV: "Production" });
  assert.equal(await child.exit, 1);
  assert.match(child.text(), /FRAMEWORK_ENV +must be exactly one of/);
  assert.doesNotMatch(child.text(), /database starts/);
});

test("an import in the console prints the result and no warning", async (t) => {
  const child = start(t, ["console", "--eval", `typeof (await import("node:fs")).readFileSync`]);
  assert.equal(await child.exit, 0);
  assert.match(child.text(), /function/);
  assert.doesNotMatch(child.text(), /Warning/);
});

const bash = "/bin/bash";

test(
  "the shell function of the completion runs the program",
  { skip: !existsSync(bash) && "there is no bash here" },
  () => {
    const program = [process.execPath, "--conditions=@limmat/source", fixture].map((word) => `'${word}'`).join(" ");
    const line = `eval "$(${program} completion bash fixture)"; cd /; fixture random 8`;
    assert.match(execFileSync(bash, ["--norc", "-c", line], { encoding: "utf8" }), /^[\w-]{11}\n$/);
  },
);
