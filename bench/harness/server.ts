import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Contestant } from "../contestants/contestants.ts";
import { serverCore, serverCores } from "./machine.ts";
import { treeUsage } from "./process-tree.ts";

/** Running contestant. */
export interface Server {
  readonly port: number;
  /** Milliseconds from the start of the process to the message with its port. */
  readonly listening: number;
  /** Returns the CPU time of the process in µs and its resident memory in bytes, as the process measures them. */
  usage(): Promise<Usage>;
  /** Profiles the process while `work` runs. */
  profile(work: () => Promise<void>): Promise<Profile>;
  stop(): Promise<void>;
}

/** CPU profile of V8. Times in µs. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface Usage {
  readonly cpu: number;
  readonly rss: number;
}

/** Path of the installed Bun. Its platform packages contain only the binary and need no install script. */
export const bun: string = fileURLToPath(
  new URL(
    `../node_modules/@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}/bin/bun`,
    import.meta.url,
  ),
);

/** Returns true if the runtime of the contestant is installed. Bun is optional. */
export const canRun = (contestant: Contestant): boolean => contestant.host === "node" || existsSync(bun);

/** Returns the version of the installed Bun, or an empty string. */
export const bunVersion = (): string =>
  existsSync(bun) ? spawnSync(bun, ["--version"], { encoding: "utf8" }).stdout.trim() : "";

/**
 * Starts one application of a contestant on the server core, in production mode.
 *
 * @param hasProcesses true for an application of several processes: on half of the cores, with the usage of all processes
 */
export async function startServer(contestant: Contestant, application: string, hasProcesses = false): Promise<Server> {
  const started = performance.now();
  const runtime = contestant.host === "bun" ? bun : process.execPath;
  const core = hasProcesses ? serverCores : serverCore;
  const [execPath, execArgv] = core === undefined ? [runtime, []] : ["taskset", ["-c", core, runtime]];
  const child = fork(fileURLToPath(new URL(`../contestants/${contestant.file}`, import.meta.url)), [application], {
    execPath,
    execArgv: [...execArgv, ...(contestant.flags ?? [])],
    serialization: "json",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      NODE_ENV: "production",
      TZ: "UTC",
      BENCH_DATABASE: process.env["BENCH_DATABASE"] ?? "",
      HTTP_SERVER: process.env["HTTP_SERVER"] ?? "net",
      ...contestant.environment,
    },
  });
  let stderrTail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderrTail = (stderrTail + text).slice(-4000)));
  const port = await answer<{ port: number }>(child, () => stderrTail).then((message) => message.port);
  const listening = performance.now() - started;
  return {
    port,
    listening,
    usage() {
      if (hasProcesses) return Promise.resolve(treeUsage(child.pid ?? 0));
      if (child.connected) child.send("usage");
      return answer<Usage>(child, () => stderrTail);
    },
    async profile(work) {
      child.send("profile");
      await answer(child, () => stderrTail);
      await work();
      child.send("profile end");
      return answer<Profile>(child, () => stderrTail);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      // The workers of several processes end with their primary process.
      child.kill(hasProcesses ? "SIGTERM" : "SIGKILL");
      const impatience = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(impatience);
    },
  };
}

function answer<Message>(child: ChildProcess, stderrTail: () => string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`${child.spawnargs.slice(-2).join(" ")} exited with code ${code}\n${stderrTail()}`));
    if (!child.connected) {
      onExit(child.exitCode);
      return;
    }
    child.once("exit", onExit);
    // Some contestants also use this channel for messages to process managers.
    const onMessage = (message: unknown): void => {
      const answered = (message as { bench?: Message }).bench;
      if (answered === undefined) return;
      child.off("exit", onExit).off("message", onMessage);
      resolve(answered);
    };
    child.on("message", onMessage);
  });
}
