// Starts the demo application in a child process and measures it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Web } from "limmat";
import { publicFolder } from "./demo.ts";

/** Measurements of the child process. */
export interface Vitals {
  /** Heap size in bytes. */
  readonly rss: number;
  readonly heap: number;
  /** Processor time used, in milliseconds. */
  readonly cpu: number;
  /** Numbers of requests received and answered. */
  readonly begun: number;
  readonly ended: number;
}

/** Running demo application. */
export interface Child extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Collects garbage, then measures. */
  readonly vitals: () => Promise<Vitals>;
  /** Measures after all items were removed. */
  readonly emptied: () => Promise<Vitals>;
  /** Returns the output, including errors. */
  readonly printed: () => string;
  readonly faults: () => readonly string[];
  /** Exit code; `null` if a signal ended the process. */
  readonly exit: Promise<number | null>;
}

/** Starts the demo application and waits until it listens. */
export async function startChild(limits: Partial<Web.Http.Limits> = {}): Promise<Child> {
  const folder = publicFolder();
  const child = spawn(
    process.execPath,
    ["--expose-gc", "--conditions=@limmat/source", new URL("server.ts", import.meta.url).pathname],
    {
      env: {
        ...process.env,
        FRAMEWORK_ENV: "test",
        CHECK_CSRF: "true",
        LOG_LEVEL: "info",
        HOST: "127.0.0.1",
        PORT: "0",
        PUBLIC_DIR: folder.path,
        LIMITS: JSON.stringify(limits),
      },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    },
  );
  const exit = once(child, "close").then(([code]) => code as number | null);
  let printed = "";
  const port = Promise.withResolvers<number>();
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    const found = /Listening on http:\/\/[^:\s]+:(\d+)/.exec(printed);
    if (found !== null) port.resolve(Number(found[1]));
  });
  void exit.then((code) => port.reject(new Error(`ended with ${code} before it listened:\n${printed}`)));
  const tell = async (wish: string): Promise<Vitals> => {
    const told = once(child, "message");
    child.send(wish);
    const [vitals] = (await told) as [Vitals];
    return vitals;
  };
  return {
    port: await port.promise,
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    vitals: () => tell("measure"),
    emptied: () => tell("empty"),
    printed: () => printed,
    faults: () => printed.split("\n").filter((line) => line.startsWith("fault")),
    exit,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exit;
      folder[Symbol.dispose]();
    },
  };
}
