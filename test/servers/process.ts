import { execFile, spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** The path of a program: in the search path, or in one of the folders where distributions hide servers. */
export function program(name: string, ...folders: readonly string[]): string | undefined {
  const all = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", ...folders.flatMap((f) => globSync(f))];
  return all.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** User and group for a program that refuses to run as root: those of a user with this name, else `nobody`. */
export async function unprivileged(name: string): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (user: string, flag: string): Promise<number> =>
    Number((await promisify(execFile)("id", [flag, user])).stdout);
  const of = async (user: string): Promise<{ uid: number; gid: number }> => ({
    uid: await id(user, "-u"),
    gid: await id(user, "-g"),
  });
  return of(name).catch(() => of("nobody"));
}

// Below those that systems give to whoever asks for any port: between the choice of one and its use nobody is given it.
const ports = { first: 20_000, count: 12_000 } as const;
let lastPort = (process.pid * 8) % ports.count;

/** A port that is free, and stays so for a program that is about to be started, or started again, with it. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ports.count; attempt++) {
    lastPort = (lastPort + 1) % ports.count;
    const port = ports.first + lastPort;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${ports.first} on is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Runs a program to its end. */
export async function run(
  path: string,
  args: readonly string[],
  user: { readonly uid: number; readonly gid: number } | undefined,
): Promise<void> {
  await promisify(execFile)(path, [...args], { ...user });
}

/** A program that runs on, until it is told to end. */
export interface Daemon {
  readonly pid: number;
  readonly isRunning: () => boolean;
  readonly end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts a program that runs on. */
export function daemon(
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
    end: async (signal = "SIGINT") => {
      child.kill(signal);
      await exited;
      process.off("exit", kill);
    },
  };
}

/** Asks again and again, every tenth of a second, until the answer is yes or two minutes are over. */
export async function eventually(ask: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    if (await ask()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
