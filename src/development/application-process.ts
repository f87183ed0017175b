import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { developmentAssetsVariable } from "../core/index.ts";
import { type Frame, isApplicationFrame } from "../core/stack.ts";
import { settlesWithin } from "../time/index.ts";
import { developmentPaths } from "./browser-client.ts";
import { failureText } from "./failure.ts";
import { readRunningFrames } from "./running-frames.ts";

/** Options of an application process. */
export interface ApplicationOptions {
  readonly root: string;
  /** Address of the development server, which requests may name as their host. */
  readonly publicHost: string;
  /** URLs of the modules to preload. */
  readonly packages: readonly string[];
  /** Receives the standard error of the application. */
  readonly onStderr: (text: string) => void;
  /** Command to run. Default: `server`. */
  readonly command?: string;
}

/** Error that ended a process. */
export interface ExitReason {
  /** Description of the error; without one, the standard error of the process. */
  readonly text: string;
  /** True if the text is the standard error, which is printed already. */
  readonly isPrinted: boolean;
}

const maxStderrLength = 20_000;
/** Exit code of Node for a module whose top-level await never settles. */
const unsettledAwaitCode = 13;

const unsettledAwaitPattern = /^Warning: Detected unsettled top-level await at (file:\S+?):(\d+)$/m;

const inspectorPattern = /^Debugger listening on (ws:\S+)$/m;
const debuggerPattern = /^(?:Debugger |For help, see: |Waiting for the debugger)/m;

/** Child process of the application. Preloads packages immediately, and loads the application on `start`. */
export class ApplicationProcess {
  /** Files of the application that were imported so far. */
  readonly files: Set<string> = new Set<string>();
  /** URLs of the imported modules outside the application. */
  readonly packages: Set<string> = new Set<string>();
  /** Resolves to the exit code when the process has exited and its output is read. `null` after a signal. */
  readonly exited: Promise<number | null>;
  readonly #root: string;
  readonly #child: ChildProcess;
  readonly #listening: Promise<number>;
  #stderrTail = "";
  #isStopping = false;
  /** WebSocket address of the inspector, once it is open. */
  readonly #inspectorUrl: PromiseWithResolvers<string> = Promise.withResolvers();
  #hasInspector = false;
  /** True if the lines that Node prints about its debugger are about `runningFrames`. */
  #hidesDebugger = false;
  #reaction: PromiseWithResolvers<void> | undefined;
  #failureText: string | undefined;
  #hasPendingSteps = false;
  #pendingQuestion: PromiseWithResolvers<readonly string[]> | undefined;

  constructor({ root, publicHost, packages, onStderr, command = "server" }: ApplicationOptions) {
    this.#root = root;
    const preload = new URL(import.meta.url.endsWith(".ts") ? "child.ts" : "child.js", import.meta.url);
    // Port 0, because the development server owns the public port. The environment defaults to development here,
    // because features such as the error page need it to be set explicitly.
    const environment = process.env["FRAMEWORK_ENV"] || "development";
    const color = process.stderr.isTTY ? { FORCE_COLOR: process.env["FORCE_COLOR"] ?? "1" } : {};
    this.#child = fork(join(root, "run/run.ts"), [command], {
      cwd: root,
      env: {
        ...process.env,
        ...color,
        [developmentAssetsVariable]: developmentPaths.assets,
        FRAMEWORK_ENV: environment,
        PORT: "0",
        HOST: "127.0.0.1",
        DEVELOPMENT_HOST: publicHost,
      },
      // The inspector opens on any free port, and only for `runningFrames`.
      execArgv: [...process.execArgv, "--inspect-port=0", "--enable-source-maps", "--import", preload.href],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (this.#isStopping) return;
      this.#stderrTail = (this.#stderrTail + text).slice(-maxStderrLength);
      const [, inspectorUrl] = inspectorPattern.exec(text) ?? [];
      if (inspectorUrl !== undefined) {
        this.#hasInspector = true;
        this.#inspectorUrl.resolve(inspectorUrl);
      }
      // Node's text about an unsettled await is the last one of the process. `exitReason` describes it.
      const isOfNode =
        unsettledAwaitPattern.test(this.#stderrTail) || (this.#hidesDebugger && debuggerPattern.test(text));
      if (!isOfNode) onStderr(text);
    });
    this.exited = new Promise((resolve) => this.#child.once("close", (code) => resolve(code)));
    this.#listening = new Promise((resolve) => {
      this.#child.on("message", (message: ChildMessage) => {
        if (message.kind === "listening") resolve(message.port);
        if (message.kind === "file") this.#recordFile(message.path);
        // The first error of a start is its cause, and later ones are effects.
        if (message.kind === "failure") this.#failureText ??= message.text;
        if (message.kind === "pending") {
          this.#hasPendingSteps = message.steps.length > 0;
          this.#pendingQuestion?.resolve(message.steps);
          this.#pendingQuestion = undefined;
        }
        if (message.kind === "reaction") {
          this.#reaction?.resolve();
          this.#reaction = undefined;
        }
      });
    });
    this.#send({ kind: "preload", packages });
  }

  /** Starts the application behind `publicPort`. Returns the port on which it listens, or the error if it exits before. */
  async start(publicPort: number): Promise<number | ExitReason> {
    this.#send({ kind: "start", port: publicPort });
    return Promise.race([this.#listening, this.exited.then(() => this.exitReason())]);
  }

  /** Runs a command that ends by itself. Returns its error; `undefined` if it succeeded. */
  async run(publicPort: number): Promise<ExitReason | undefined> {
    this.#send({ kind: "start", port: publicPort });
    return (await this.exited) === 0 ? undefined : await this.exitReason();
  }

  /** Waits until the event loop of the process handles a message, or the process has exited. */
  async reaction(): Promise<void> {
    if (this.#reaction === undefined) {
      this.#reaction = Promise.withResolvers();
      this.#send({ kind: "react" });
    }
    await Promise.race([this.#reaction.promise, this.exited]);
  }

  /**
   * Returns the lines of the application that run, the innermost first. Returns none if the process reacts within
   * `timeoutMs`, stands at a breakpoint or has exited.
   */
  async runningFrames(timeoutMs: number): Promise<readonly Frame[]> {
    const reaction = this.reaction().then(() => undefined);
    const hasReacted = await settlesWithin(reaction, timeoutMs, { keepAlive: false });
    // Windows has no signal that opens the inspector.
    if (hasReacted || this.#child.pid === undefined || process.platform === "win32") return [];
    this.#hidesDebugger = true;
    if (!this.#hasInspector) this.#child.kill("SIGUSR1");
    const url = await Promise.race([this.#inspectorUrl.promise, reaction]);
    const frames = url === undefined ? [] : await readRunningFrames(url);
    return frames.filter((frame) => isApplicationFrame(frame, this.#root));
  }

  /** Returns the error that ended the process: its description, its standard error, or its exit code. */
  async exitReason(): Promise<ExitReason> {
    const code = await this.exited;
    if (this.#failureText !== undefined) return { text: this.#failureText, isPrinted: false };
    if (code === unsettledAwaitCode) return { text: this.#describeUnsettledAwait(), isPrinted: false };
    const stderr = this.#stderrTail.trim();
    if (stderr !== "") return { text: stderr, isPrinted: true };
    const how = code === null ? "by a signal" : `with code ${code}`;
    return { text: `The application has exited ${how}, without an error message.`, isPrinted: false };
  }

  /** Returns the labels of the migration steps that the application found pending at its start and that still are. */
  async pendingSteps(): Promise<readonly string[]> {
    if (!this.#hasPendingSteps) return [];
    if (this.#pendingQuestion === undefined) {
      this.#pendingQuestion = Promise.withResolvers();
      this.#send({ kind: "pending" });
    }
    return await Promise.race([this.#pendingQuestion.promise, this.exited.then(() => [])]);
  }

  /** Stops the process with SIGTERM, and with SIGKILL after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
    await this.exited;
    clearTimeout(timer);
  }

  #recordFile(path: string): void {
    const isApplicationFile = path.startsWith(this.#root) && !path.includes("/node_modules/");
    if (isApplicationFile) this.files.add(path);
    else this.packages.add(pathToFileURL(path).href);
  }

  #describeUnsettledAwait(): string {
    const [, url = "", line] = unsettledAwaitPattern.exec(this.#stderrTail) ?? [];
    const locations = line === undefined ? [] : [{ file: fileURLToPath(url), line: Number(line) }];
    const message = "While the application loads, it waits for a promise that never settles.";
    const hint = "Await only promises that resolve or reject, or call the function without await.";
    return failureText({ message, locations, hint }, this.#root);
  }

  #send(message: ServerMessage): void {
    if (this.#child.connected) this.#child.send(message);
  }
}

/** Message of the application process to the development server. */
export type ChildMessage =
  /** The application imported a file. */
  | { readonly kind: "file"; readonly path: string }
  /** The application listens. */
  | { readonly kind: "listening"; readonly port: number }
  /** The application ends with an error. */
  | { readonly kind: "failure"; readonly text: string }
  /** Labels of the pending migration steps, at the start of the application and after each question. */
  | { readonly kind: "pending"; readonly steps: readonly string[] }
  /** Response to `react`. */
  | { readonly kind: "reaction" };

/** Message of the development server to the application process. */
export type ServerMessage =
  /** Import these modules, given by their URLs. */
  | { readonly kind: "preload"; readonly packages: readonly string[] }
  /** Load the application. Browsers connect to this port of the development server. */
  | { readonly kind: "start"; readonly port: number }
  /** Return the pending migration steps. */
  | { readonly kind: "pending" }
  /** Respond, to show that the event loop is not blocked. */
  | { readonly kind: "react" };
