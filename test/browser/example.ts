import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { withoutLoadShedding } from "../servers/load-shedding.ts";

const examples = resolve(import.meta.dirname, "../../examples");
const command = ["--conditions=@limmat/source", withoutLoadShedding, "run/run.ts"];

/** A server process with its own database. */
export interface RunningExample extends AsyncDisposable {
  readonly url: string;
}

/**
 * Runs commands of an example, or of the project in a folder, starts its server on a free port, and waits until it listens.
 * The commands are by default `migrate`.
 */
export async function startExample(
  name: string,
  cwd: string = join(examples, name),
  commands: readonly string[] = ["migrate"],
): Promise<RunningExample> {
  const dataFolder = mkdtempSync(join(tmpdir(), "limmat-browser-"));
  const removeData = (): void => rmSync(dataFolder, { recursive: true, force: true });
  const env = { DATABASE_URL: join(dataFolder, `${name}.sqlite`), LOGS_DIR: dataFolder };
  const environment = { ...process.env, ...serverEnvironment, ...env };
  try {
    for (const program of commands) {
      const run = spawnSync(process.execPath, [...command, program], { cwd, env: environment, encoding: "utf8" });
      if (run.status !== 0) throw new Error(run.stderr);
    }
    const example = await startProgram([...command, "server"], cwd, env);
    const stop = (): Promise<void> => Promise.resolve(example[Symbol.asyncDispose]()).finally(removeData);
    return { url: example.url, [Symbol.asyncDispose]: stop };
  } catch (error) {
    removeData();
    throw error;
  }
}

const serverEnvironment = { FRAMEWORK_ENV: "test", PORT: "0", LOG_LEVEL: "info", QUEUE_PROCESS: "true" };

// A pipe to this process ends with it, however it ends: a script that throws or is killed leaves no server behind.
const endWithParent = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from "node:worker_threads";
  if (isMainThread) process.stdin.on("end", () => process.kill(process.pid, "SIGKILL")).resume().unref();
`)}`;

/** Starts a Node.js program and waits until it listens. By default its data is in memory. It ends with this process. */
export async function startProgram(
  nodeArguments: readonly string[],
  cwd: string = process.cwd(),
  env: Readonly<Record<string, string>> = { DATABASE_URL: ":memory:", CHECK_CSRF: "true" },
): Promise<RunningExample> {
  const server = spawn(process.execPath, [`--import=${endWithParent}`, ...nodeArguments], {
    cwd,
    env: { ...process.env, ...serverEnvironment, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(server, "exit") as Promise<[code: number | null]>;
  const url = await findUrl(server.stdout);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.kill("SIGTERM");
      const [code] = await exited;
      if (code !== 0) throw new Error(`The server exited with code ${code}`);
    },
  };
}

async function findUrl(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /http:\/\/[^\s"]+/.exec(line)?.[0];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  throw new Error("The server exited before it listened");
}
