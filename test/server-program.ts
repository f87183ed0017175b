// The command `server` of test/fixtures/serve-web.ts as a separate process.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Agent, type ClientRequest, request } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

const fixture = new URL("./fixtures/serve-web.ts", import.meta.url).pathname;

/** Log entry of the program. */
export interface ProgramEvent {
  readonly message: string;
  readonly worker?: number;
}

/** Running program. */
export interface ServerProgram {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly events: () => readonly ProgramEvent[];
  /** Waits until the program has logged a message `times` times since its start. Returns the events. */
  readonly waitForEvents: (message: RegExp, times?: number) => Promise<readonly ProgramEvent[]>;
  /** Waits until the output contains a text. */
  readonly waitForOutput: (text: string) => Promise<void>;
  readonly exit: Promise<number | null>;
}

/** Starts `server` with arguments. The program is killed after the test. */
export function startServerProgram(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProgram {
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, "server", ...args], {
    env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "info", PORT: "0", CHECK_CSRF: "true", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  // "close" follows only when no process holds the pipes any more, so it also detects workers that outlive the program.
  let hasExited = false;
  const exit = once(child, "close").then(([code]) => {
    hasExited = true;
    return code as number | null;
  });
  const events = (): readonly ProgramEvent[] =>
    [...output.matchAll(/^\{.*\}(?=\n)/gm)].map(([line]) => JSON.parse(line) as ProgramEvent);
  const moreOutput = async (awaited: string): Promise<void> => {
    assert.ok(!hasExited, `exited before "${awaited}":\n${output}`);
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), exit]);
  };
  const waitForEvents = async (message: RegExp, times = 1): Promise<readonly ProgramEvent[]> => {
    for (;;) {
      const matches = events().filter((event) => message.test(event.message));
      if (matches.length >= times) return matches;
      await moreOutput(message.source);
    }
  };
  const waitForOutput = async (awaited: string): Promise<void> => {
    while (!output.includes(awaited)) await moreOutput(awaited);
  };
  return { process: child, output: () => output, events, waitForEvents, waitForOutput, exit };
}

/** Message of a process that accepts connections. */
export const listening: RegExp = /^Listening on /;
/** Returns the port of the event `listening`. */
export const portOf = (event: ProgramEvent | undefined): number => Number(event?.message.split(":").at(-1));

/** Sends one request. Returns it with the promised response text. */
export function send(
  port: number,
  path = "/",
  agent: Agent | false = false,
): { sent: ClientRequest; body: Promise<string> } {
  const sent = request({ host: "127.0.0.1", port, path, agent });
  const body = once(sent, "response").then(([response]) => text(response as NodeJS.ReadableStream));
  sent.end();
  return { sent, body };
}

/** Sends requests on separate connections. Returns the process ID that answered each of them. */
export const answeringPids = (port: number, requests: number): Promise<string[]> =>
  Promise.all(Array.from({ length: requests }, () => send(port).body));
