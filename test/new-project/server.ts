import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { withoutLoadShedding } from "../servers/load-shedding.ts";
import { shellEnvironment } from "./package.ts";

/** A running server. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a Node.js program of a project and waits until it listens. */
export async function serve(
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const child = spawn(process.execPath, [withoutLoadShedding, ...args], {
    cwd,
    env: shellEnvironment({ PORT: "0", LOG_LEVEL: "info", ...variables }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  for await (const line of createInterface(child.stdout)) {
    const url = /(?:Listening|Developing) on (http:\/\/[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      [Symbol.asyncDispose]: async () => {
        child.kill();
        await closed;
      },
    };
  }
  throw new Error(`${args.join(" ")} exited before it listened`);
}
