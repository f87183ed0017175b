// Shared by the tests of this folder and of test/browser: a development server of a temporary project. It contains no tests.
// The clock is fake: no version is slow or blocked, whatever the speed of the machine, until a test advances the time.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Configuration } from "../config/index.ts";
import { waitFor } from "../testing/index.ts";
import { type Time, TimeInternals } from "../time/index.ts";
import type { BrowserEvent } from "./browser-client.ts";
import { develop } from "./develop.ts";
import type { DevelopOptions } from "./development-server.ts";

const repository = resolve(import.meta.dirname, "../..");

/** Response of the development server. */
export interface SessionResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

/** Running development server of a temporary project. */
export interface DevelopmentSession extends AsyncDisposable {
  readonly url: string;
  readonly root: string;
  readonly clock: Time.FakeClock;
  /** Waits until the server has started a timer of this duration, since the last call. */
  readonly waitForTimer: (ms: number) => Promise<void>;
  /** Standard error of the application, and the errors that the development server prints, without colours. */
  readonly stderr: () => string;
  /** Lines that the development server has printed, without colours. */
  readonly printed: readonly string[];
  readonly write: (path: string, text: string) => void;
  readonly get: (path?: string, headers?: Readonly<Record<string, string>>) => Promise<SessionResponse>;
  readonly post: (path: string, body: string, headers?: Readonly<Record<string, string>>) => Promise<SessionResponse>;
  /** Returns the next event that matches, and skips all others. */
  readonly nextEvent: (isMatch: (event: BrowserEvent) => boolean) => Promise<BrowserEvent>;
}

/** Files of a project by path. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** Headers of a navigation of a browser. */
export const navigation = { "sec-fetch-dest": "document", accept: "text/html" } as const;

/** Returns true for the event of a new version. */
export const isReload = (event: BrowserEvent): boolean => event.kind === "reload";

/** Returns true for the event of an error. */
export const isFailure = (event: BrowserEvent): boolean => event.kind === "failure" && event.reason !== undefined;

/** Files of an application of the framework that serves the router of `routes/routes.ts`. */
export const limmatProject: ProjectFiles = {
  "run/run.ts": `
import { resolve } from "node:path";
import { App, Web } from "limmat";
import { router } from "../routes/routes.ts";
import { services } from "../service/service.ts";

const http = Web.Http.service({ router, limits: { maxEventLoopDelayMs: 0 } });
export const app = App.create({ root: resolve(import.meta.dirname, ".."), services: [...services, http] });
if (import.meta.main) await app.run();
`,
  "service/service.ts": "export const services = [];\n",
  "routes/routes.ts": `
import { Web } from "limmat";
import { page } from "../web/page.ts";

export const router = Web.choose([
  Web.get("/", () => Web.Response.text(page)),
  Web.get("/todos/:id", () => Web.Response.text("todo")),
]);
`,
  "web/page.ts": 'export const page: string = "one";\n',
  ".env": "LOG_LEVEL=error\nCHECK_CSRF=true\n",
};

/** Options of `startSession`. */
export interface SessionOptions extends DevelopOptions {
  /** Called while the first version starts. The session begins when this version runs, has failed or was reported as slow. */
  readonly whileStarting?: (session: Pick<DevelopmentSession, "root" | "clock">) => Promise<void>;
}

/** Starts a development server of a project that consists of these files. The framework and its packages are installed. */
export async function startSession(
  files: ProjectFiles,
  { whileStarting, ...options }: SessionOptions = {},
): Promise<DevelopmentSession> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "limmat-dev-")));
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("package.json", '{ "type": "module" }');
  mkdirSync(join(root, "node_modules"));
  symlinkSync(repository, join(root, "node_modules/limmat"));
  for (const [path, text] of Object.entries(files)) write(path, text);
  Configuration.store([["PORT", "0"]]);
  const clock = TimeInternals.fakeClock();
  const timersMs: number[] = [];
  const restoreClock = TimeInternals.useClock({
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => {
      timersMs.push(ms);
      return clock.after(ms, callback);
    },
  });

  const controller = new AbortController();
  let stderr = "";
  const ready = Promise.withResolvers<number>();
  const printed: string[] = [];
  const ended = develop(root, {
    checksTypes: false,
    ...options,
    print: (line) => printed.push(stripVTControlCharacters(line)),
    onStderr: (text) => (stderr += stripVTControlCharacters(text)),
    signal: controller.signal,
    onReady: ready.resolve,
  });
  const url = `http://localhost:${await ready.promise}`;
  const request = async (path: string, init: RequestInit): Promise<SessionResponse> => {
    const response = await fetch(url + path, { ...init, redirect: "manual" });
    return { status: response.status, body: await response.text(), headers: response.headers };
  };
  // Wait until the first version runs or has failed, so that all further events are about later versions.
  const firstResponse = request("/", {});
  await whileStarting?.({ root, clock });
  await firstResponse;
  const events = readEvents(await fetch(`${url}/__limmat/events`, { signal: controller.signal }));
  return {
    url,
    root,
    clock,
    waitForTimer: async (ms) => {
      await waitFor(() => timersMs.includes(ms));
      timersMs.length = 0;
    },
    stderr: () => stderr,
    printed,
    write,
    get: (path = "/", headers = {}) => request(path, { headers }),
    post: (path, body, headers = {}) => request(path, { method: "POST", body, headers }),
    nextEvent: async (isMatch) => {
      for (;;) {
        const { value, done } = await events.next();
        if (done === true) throw new Error("The event stream has ended");
        if (isMatch(value)) return value;
      }
    },
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await ended;
      restoreClock();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function* readEvents(response: Response): AsyncGenerator<BrowserEvent> {
  let buffer = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (buffer + chunk).split("\n\n");
    buffer = parts.pop() ?? "";
    for (const part of parts) yield JSON.parse(part.replace(/^data: /, "")) as BrowserEvent;
  }
}
