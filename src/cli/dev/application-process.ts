import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { developmentAssetsVariable } from "../../core/index.ts";
import { developmentPaths } from "./browser-client.ts";

/** Options of an application process. */
export interface ApplicationOptions {
  readonly root: string;
  /** Address of the development server, which requests may name as their host. */
  readonly publicHost: string;
  /** URLs of the modules to preload. */
  readonly packages: readonly string[];
  /** Receives the standard error of the application. */
  readonly onStderr: (text: string) => void;
}

/** Result of starting the application. */
export type StartResult =
  | { readonly isRunning: true; readonly port: number }
  /** The process exited before it listened; `reason` is its standard error. */
  | { readonly isRunning: false; readonly reason: string };

const maxStderrLength = 20_000;

/** Child process of the application. Preloads packages immediately, and loads the application on `start`. */
export class ApplicationProcess {
  /** Files of the application that were imported so far. */
  readonly files: Set<string> = new Set<string>();
  /** URLs of the imported modules outside the application. */
  readonly packages: Set<string> = new Set<string>();
  /** Resolves when the process has exited and its output is read. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #listening: Promise<number>;
  #stderrTail = "";
  #isStopping = false;

  constructor({ root, publicHost, packages, onStderr }: ApplicationOptions) {
    const preload = new URL(import.meta.url.endsWith(".ts") ? "child.ts" : "child.js", import.meta.url);
    // Port 0, because the development server owns the public port. The environment defaults to development here,
    // because features such as the error page need it to be set explicitly.
    const environment = process.env["FRAMEWORK_ENV"] || "development";
    const assets = { [developmentAssetsVariable]: developmentPaths.assets };
    const color = process.stderr.isTTY ? { FORCE_COLOR: process.env["FORCE_COLOR"] ?? "1" } : {};
    this.#child = fork(join(root, "run/run.ts"), ["server"], {
      cwd: root,
      env: {
        ...process.env,
        ...color,
        ...assets,
        FRAMEWORK_ENV: environment,
        PORT: "0",
        HOST: "127.0.0.1",
        DEVELOPMENT_HOST: publicHost,
      },
      execArgv: [...process.execArgv, "--enable-source-maps", "--import", preload.href],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (this.#isStopping) return;
      this.#stderrTail = (this.#stderrTail + text).slice(-maxStderrLength);
      onStderr(text);
    });
    this.exited = new Promise((resolve) => this.#child.once("close", () => resolve()));
    this.#listening = new Promise((resolve) => {
      this.#child.on("message", (message: ChildMessage) => {
        if (message.kind === "listening") resolve(message.port);
        if (message.kind === "file") this.#recordFile(root, message.path);
      });
    });
    this.#send({ packages });
  }

  /** Starts the application behind `publicPort`, and waits until it listens or exits. */
  async start(publicPort: number): Promise<StartResult> {
    this.#send({ port: publicPort });
    const port = await Promise.race([this.#listening, this.exited]);
    if (typeof port === "number") return { isRunning: true, port };
    return { isRunning: false, reason: this.#stderrTail.trim() || "The application exited without an error message." };
  }

  /** Last 20,000 characters of the standard error, trimmed. */
  get stderrTail(): string {
    return this.#stderrTail.trim();
  }

  /** Stops the process with SIGTERM, and with SIGKILL after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
    await this.exited;
    clearTimeout(timer);
  }

  #recordFile(root: string, path: string): void {
    const isApplicationFile = path.startsWith(root) && !path.includes("/node_modules/");
    if (isApplicationFile) this.files.add(path);
    else this.packages.add(pathToFileURL(path).href);
  }

  #send(message: PreloadMessage | StartMessage): void {
    if (this.#child.connected) this.#child.send(message);
  }
}

/** Message of the application process to the development server. */
export type ChildMessage =
  /** The application imported a file. */
  | { readonly kind: "file"; readonly path: string }
  /** The application listens. */
  | { readonly kind: "listening"; readonly port: number };

/** First message to the application process: the packages to preload. */
export interface PreloadMessage {
  /** URLs of modules. */
  readonly packages: readonly string[];
}

/** Second message to the application process: load the application. */
export interface StartMessage {
  /** Port of the development server, which browsers connect to. */
  readonly port: number;
}
