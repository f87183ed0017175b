import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { limmatFlags } from "./limmat.ts";
import { serverCore } from "./machine.ts";

/**
 * Starts a contestant that needs no HTTP in a process of its own, on the core of the contestants, and waits until it says
 * that it is ready. `BENCH_FLAGS` are given to Node too.
 */
export async function startChild(
  file: URL,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<ChildProcess> {
  const runtime = process.execPath;
  const [execPath, execArgv] = serverCore === undefined ? [runtime, []] : ["taskset", ["-c", serverCore, runtime]];
  const child = fork(fileURLToPath(file), args, {
    execPath,
    execArgv: [...execArgv, ...limmatFlags, ...flags, ...(process.env["BENCH_FLAGS"]?.split(" ") ?? [])],
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", NODE_ENV: "production", TZ: "UTC" },
  });
  await next(child);
  return child;
}

/** Asks a contestant, and gives its answer. Throws when it ends instead. */
export function askChild<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  const answer = next<Answer>(child);
  child.send(question);
  return answer;
}

function next<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`A contestant ended with ${code}`));
    child.once("exit", fail);
    child.once("message", (message) => {
      child.off("exit", fail);
      resolve(message as Message);
    });
  });
}
