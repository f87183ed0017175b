import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { environment } from "./package.ts";

/** A program that answers requests. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a program of a project, and waits until it says where it listens. */
export async function serve(
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: environment({ PORT: "0", LOG_LEVEL: "info", ...more }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  for await (const line of createInterface(child.stdout)) {
    const url = /(?:Listening|Developing) on (http:\/\/[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      [Symbol.asyncDispose]: async () => {
        child.kill();
        await ended;
      },
    };
  }
  throw new Error(`${args.join(" ")} ended before it listened`);
}
