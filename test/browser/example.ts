import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const examples = resolve(import.meta.dirname, "../../examples");
const command = ["--conditions=@limmat/source", "run/run.ts"];

/** An application of `examples/`, running in a process of its own on a database of its own. */
export interface Example extends AsyncDisposable {
  readonly url: string;
}

/** Migrates, starts the server on a free port, and waits until it listens. */
export async function startExample(name: string): Promise<Example> {
  const cwd = join(examples, name);
  const scratch = mkdtempSync(join(tmpdir(), "limmat-browser-"));
  const env = { DATABASE_URL: join(scratch, `${name}.sqlite`), LOGS_DIR: scratch };
  const migrated = spawnSync(process.execPath, [...command, "migrate"], {
    cwd,
    env: { ...process.env, ...settings, ...env },
    encoding: "utf8",
  });
  if (migrated.status !== 0) throw new Error(migrated.stderr);
  const example = await startProgram([...command, "server"], cwd, env);
  return {
    url: example.url,
    [Symbol.asyncDispose]: async () => {
      await example[Symbol.asyncDispose]();
      rmSync(scratch, { recursive: true });
    },
  };
}

const settings = { FRAMEWORK_ENV: "test", PORT: "0", LOG_LEVEL: "info", QUEUE_PROCESS: "true" };

/** Starts a server with arguments of Node, with its data in memory unless told otherwise, and waits until it listens. */
export async function startProgram(
  parameters: readonly string[],
  cwd: string = process.cwd(),
  env: Readonly<Record<string, string>> = { DATABASE_URL: ":memory:", CHECK_CSRF: "true" },
): Promise<Example> {
  const server = spawn(process.execPath, parameters, {
    cwd,
    env: { ...process.env, ...settings, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await addressOf(server.stdout);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      const exited = once(server, "exit");
      server.kill("SIGTERM");
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw new Error(`The server ended with ${code}`);
    },
  };
}

async function addressOf(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /http:\/\/[^\s"]+/.exec(line)?.[0];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  throw new Error("The server ended before it listened");
}
