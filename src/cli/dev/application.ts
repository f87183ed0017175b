import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FromChild, Preparation, Turn } from "./messages.ts";

/** What is needed to run the application. */
export interface ApplicationOptions {
  readonly root: string;
  /** The modules to load ahead of time. */
  readonly packages: readonly string[];
  /** Takes what the application prints to the standard error. */
  readonly onError: (text: string) => void;
}

/** How a start went. */
export type Start =
  | { readonly isRunning: true; readonly port: number }
  /** It ended before it listened; `reason` is what it said. */
  | { readonly isRunning: false; readonly reason: string };

const longestReason = 20_000;

/** The application in a process of its own, which loads its packages at once and the application when it is told to. */
export class Application {
  /** The files of the application that were imported so far. */
  readonly files: Set<string> = new Set<string>();
  /** The modules outside of the application that it imports. */
  readonly packages: Set<string> = new Set<string>();
  /** Settled when the process has ended. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #listening: Promise<number>;
  #said = "";
  #isStopping = false;

  constructor({ root, packages, onError }: ApplicationOptions) {
    const preload = new URL(import.meta.url.endsWith(".ts") ? "child.ts" : "child.js", import.meta.url);
    // A port of its own: the public one is the development server's. And whoever develops has said which environment this
    // is: what helps there alone, such as the page of an error, waits until it is said.
    const environment = process.env["FRAMEWORK_ENV"] || "development";
    const color = process.stderr.isTTY ? { FORCE_COLOR: process.env["FORCE_COLOR"] ?? "1" } : {};
    this.#child = fork(join(root, "run/run.ts"), ["server"], {
      cwd: root,
      env: { ...process.env, ...color, FRAMEWORK_ENV: environment, PORT: "0", HOST: "127.0.0.1" },
      execArgv: [...process.execArgv, "--enable-source-maps", "--import", preload.href],
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (this.#isStopping) return;
      this.#said = (this.#said + text).slice(-longestReason);
      onError(text);
    });
    this.ended = new Promise((resolve) => this.#child.once("close", () => resolve()));
    this.#listening = new Promise((resolve) => {
      this.#child.on("message", (message: FromChild) => {
        if (message.kind === "listening") resolve(message.port);
        if (message.kind === "file") this.#noteFile(root, message.path);
      });
    });
    this.#send({ packages });
  }

  /** Lets the application start behind a port, and waits until it listens or has ended. */
  async start(behind: number): Promise<Start> {
    this.#send({ port: behind });
    const port = await Promise.race([this.#listening, this.ended]);
    if (typeof port === "number") return { isRunning: true, port };
    return { isRunning: false, reason: this.#said.trim() || "The application ended without a word." };
  }

  /** What it printed to the standard error, the end of it. */
  get said(): string {
    return this.#said.trim();
  }

  /** Ends it: with time to finish what it answers, but not much. */
  async stop(patience: number): Promise<void> {
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), patience);
    await this.ended;
    clearTimeout(timer);
  }

  #noteFile(root: string, path: string): void {
    const isOwn = path.startsWith(root) && !path.includes("/node_modules/");
    if (isOwn) this.files.add(path);
    else this.packages.add(pathToFileURL(path).href);
  }

  #send(message: Preparation | Turn): void {
    if (this.#child.connected) this.#child.send(message);
  }
}
