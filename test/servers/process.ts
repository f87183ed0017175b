import { execFile, spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** Returns the path of a program from `PATH` or from additional folders (glob patterns). */
export function findProgram(name: string, ...folders: readonly string[]): string | undefined {
  const searchPath = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/sbin",
    ...folders.flatMap((f) => globSync(f)),
  ];
  return searchPath.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Returns user and group for a program that refuses to run as root: the named user, or `nobody`. */
export async function unprivilegedUser(
  name: string,
): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (user: string, flag: string): Promise<number> =>
    Number((await promisify(execFile)("id", [flag, user])).stdout);
  const idsOf = async (user: string): Promise<{ uid: number; gid: number }> => ({
    uid: await id(user, "-u"),
    gid: await id(user, "-g"),
  });
  return idsOf(name).catch(() => idsOf("nobody"));
}

// Below the ephemeral range of the system, so that no other process gets a chosen port before it is used.
const portRange = { first: 20_000, count: 12_000 } as const;
let lastPort = (process.pid * 8) % portRange.count;

/**
 * Returns a free port outside the ephemeral range, for a server that is started or restarted.
 *
 * @param host Address on which it is free. Default: `127.0.0.1`.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (let attempt = 0; attempt < portRange.count; attempt++) {
    lastPort = (lastPort + 1) % portRange.count;
    const port = portRange.first + lastPort;
    if (await isFree(port, host)) return port;
  }
  throw new Error(`no port from ${portRange.first} on is free`);
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on("error", () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** Returns true if a process with this ID runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs a program and waits until it exits. */
export async function runProgram(
  path: string,
  args: readonly string[],
  user: { readonly uid: number; readonly gid: number } | undefined,
): Promise<void> {
  await promisify(execFile)(path, [...args], { ...user });
}

/** Running background program. */
export interface Daemon {
  readonly pid: number;
  readonly isRunning: () => boolean;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts a program in the background. It is killed when this process exits. */
export function startDaemon(
  path: string,
  args: readonly string[],
  user: { readonly uid: number; readonly gid: number } | undefined,
): Daemon {
  const child = spawn(path, [...args], { stdio: "ignore", ...user });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async (signal = "SIGINT") => {
      child.kill(signal);
      await exited;
      process.off("exit", kill);
    },
  };
}

/**
 * Polls a condition every 100 ms. Returns false if it is not true within two minutes. For the start of servers: the test
 * runner loads this module without limmat. Tests use `waitFor` of `limmat/testing`.
 */
export async function waitUntil(isTrue: () => Promise<boolean>): Promise<boolean> {
  const deadlineMs = performance.now() + 120_000;
  while (performance.now() < deadlineMs) {
    if (await isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
