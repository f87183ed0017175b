// Ways to interrupt `npm test` while a test runs, for the tests of the runner.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TestContext } from "node:test";
import { inspect } from "node:util";
import { runnerEnvironment, runnerProcesses, writeTest } from "./runner-process.ts";
import { root } from "./test-files.ts";

/** Processes of a run. */
export interface RunningTest {
  /** The shell that started npm. It leads a process group, like a job of a terminal. */
  readonly shell: ChildProcess;
  /** Returns the ID of the process whose command matches. Leaves out shells, whose command contains that of npm. */
  readonly find: (pattern: RegExp) => number;
}

/** Ways to interrupt `npm test`. */
export const interruptions: Readonly<Record<string, (run: RunningTest) => unknown>> = {
  "Ctrl-C": ({ shell }) => process.kill(-(shell.pid ?? 0), "SIGINT"),
  "SIGTERM of npm": ({ find }) => process.kill(find(/npm test/), "SIGTERM"),
  "SIGTERM of the runner": ({ find }) => process.kill(find(/tools\/test\.ts/), "SIGTERM"),
  "the death of npm": ({ find }) => process.kill(find(/npm test/), "SIGKILL"),
  "the death of the parent of npm": ({ shell }) => shell.kill("SIGKILL"),
  "the death of the runner": ({ find }) => process.kill(find(/tools\/test\.ts/), "SIGKILL"),
};

/** Starts `npm test` on a file whose test starts processes that ignore signals. Resolves when all of them run. */
export async function startEndlessTest(t: TestContext): Promise<RunningTest> {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const file = writeTest(
    "endless.test.ts",
    `import { spawn } from "node:child_process";
     for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
     test("never ends", async () => {
       const code = "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});" +
         "require('node:net').connect(${port}, '127.0.0.1').on('error', () => {}); setInterval(() => {}, 1000)";
       for (const detached of [false, true])
         spawn(process.execPath, ["-e", code], { stdio: "inherit", detached });
       await new Promise(() => setInterval(() => {}, 1000));
     });`,
  );
  // The shell must not be replaced by npm.
  const shell = spawn("sh", ["-c", `npm test -- '${file}'; exit $?`], {
    cwd: root,
    env: runnerEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  for (let started = 0; started < 2; started++) {
    const [socket] = await once(server, "connection");
    socket.resume().on("error", () => {});
  }
  return {
    shell,
    find: (pattern) => {
      const processes = runnerProcesses().filter(({ command }) => !/^(?:\S*\/)?sh /.test(command));
      const found = processes.find(({ command }) => pattern.test(command));
      assert.ok(found !== undefined, `no process ${pattern}: ${inspect(processes)}`);
      return found.pid;
    },
  };
}
