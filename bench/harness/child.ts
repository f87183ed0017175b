import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { limmatFlags, limmatFolderEnvironment } from "./limmat.ts";
import { serverCore } from "./machine.ts";

/**
 * Starts a contestant without HTTP in its own process, on the core of the contestants, and waits for its first message.
 * Node also gets the flags in `BENCH_FLAGS`.
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
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      NODE_ENV: "production",
      TZ: "UTC",
      ...limmatFolderEnvironment,
    },
  });
  await next(child);
  return child;
}

/** Sends a question to a contestant and returns its answer. Rejects if the process exits first. */
export function askChild<Answer>(child: ChildProcess, question: object): Promise<Answer> {
  const answer = next<Answer>(child);
  child.send(question);
  return answer;
}

function next<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`A contestant exited with code ${code}`));
    child.once("exit", fail);
    child.once("message", (message) => {
      child.off("exit", fail);
      resolve(message as Message);
    });
  });
}
