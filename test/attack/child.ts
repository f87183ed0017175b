// Starts the demo application in a process of its own, and watches it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Web } from "limmat";
import { publicFolder } from "./demo.ts";

/** What the process tells of itself. */
export interface Vitals {
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
  /** Milliseconds of processor time that it has used. */
  readonly cpu: number;
  /** How many requests reached the application, and how many it has answered. */
  readonly begun: number;
  readonly ended: number;
}

/** The demo application, running. */
export interface Child extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Collects garbage, then measures. */
  readonly vitals: () => Promise<Vitals>;
  /** The same after it has removed all items, which would be no garbage. */
  readonly emptied: () => Promise<Vitals>;
  /** Everything that was printed, faults among it. */
  readonly printed: () => string;
  readonly faults: () => readonly string[];
  /** The exit code; null when a signal ended the process. */
  readonly exit: Promise<number | null>;
}

/** Starts it and waits until it listens. */
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
