// Process that runs migrations, and is replaced by a new one when it was killed.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { MigrationReply, MigrationRequest } from "../fixtures/migration-requests.ts";

const fixture = fileURLToPath(new URL("../fixtures/migration-requests.ts", import.meta.url));

/** Process that waits for requests. */
interface MigratorProcess {
  readonly child: ChildProcess;
  /** Sends a request. Returns the line of the reply. */
  readonly ask: (request: MigrationRequest) => Promise<string>;
}

/** Runs migrations in a process of its own. */
export class Migrator {
  readonly #start: () => MigratorProcess;
  #current: MigratorProcess;
  /** Process that loads its modules while the current one works. */
  #next: MigratorProcess;

  /** Starts processes for a database. `cacheFolder` is the folder of their compile cache. */
  constructor(backend: string, url: string, cacheFolder: string) {
    this.#start = () => startProcess(backend, url, cacheFolder);
    this.#current = this.#start();
    this.#next = this.#start();
  }

  /** Runs a migration to its end. */
  async run(request: MigrationRequest): Promise<MigrationReply> {
    return JSON.parse(await this.#current.ask(request)) as MigrationReply;
  }

  /** Runs a migration to its stop, and kills the process there. */
  async kill(request: MigrationRequest): Promise<void> {
    assert.equal(await this.#current.ask(request), "stopped");
    await killProcess(this.#current);
    this.#current = this.#next;
    this.#next = this.#start();
  }

  /** Ends the processes. */
  async close(): Promise<void> {
    await Promise.all([killProcess(this.#current), killProcess(this.#next)]);
  }
}

function startProcess(backend: string, url: string, cacheFolder: string): MigratorProcess {
  const child = spawn(process.execPath, [fixture, backend, url], {
    stdio: ["pipe", "pipe", "inherit"],
    // Hundreds of processes load the same modules.
    env: { ...process.env, FRAMEWORK_ENV: "test", NODE_COMPILE_CACHE: cacheFolder },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (request: MigrationRequest): Promise<string> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    assert.ok(done !== true, `the process has ended: ${child.signalCode ?? child.exitCode}`);
    return value;
  };
  return { child, ask };
}

async function killProcess({ child }: MigratorProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
