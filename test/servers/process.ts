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

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
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

/** Asks again and again, every tenth of a second, until the answer is yes or half a minute is over. */
export async function eventually(ask: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await ask()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
