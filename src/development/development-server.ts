// One class of about 300 lines: all its parts share the state of the versions.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { Configuration } from "../config/index.ts";
import { allowedHosts, allowedHostsField } from "../config/internal.ts";
import { settlesWithin, TimeInternals } from "../time/index.ts";
import { ApplicationProcess, type ExitReason } from "./application-process.ts";
import type { BrowserEvent } from "./browser-client.ts";
import { DevelopmentAssets } from "./development-assets.ts";
import { errors } from "./errors.ts";
import { styleFailure, withoutControls } from "./failure.ts";
import { makeProxy, type Proxy, type Upstream } from "./proxy.ts";
import { TypeChecker, type TypeErrors, typesEvent, typesTitle } from "./type-checker.ts";
import { blockedText, slowStartText, watchRequests } from "./unresponsive.ts";
import { type ProjectWatcher, watch } from "./watch.ts";

const serverConfiguration = Configuration.group({
  port: Configuration.int("PORT", {
    description: "the port of the development server",
    default: 3000,
    min: 0,
    max: 65_535,
  }),
  host: Configuration.string("HOST", { description: "the address of the development server", default: "127.0.0.1" }),
  allowedHosts: allowedHostsField,
});

const stopTimeoutMs = 2000;

// A start takes a second. After this time, a loop without an end or a server that does not answer is likely.
const slowStartMs = 10_000;

// Time after which a running version that computes and does not react is reported.
const blockedMs = 5000;

// A process that starts and waits reacts at once.
const startReactionMs = 100;

// Delay before the spare process is forked, so that it does not compete with the browser's page load for the CPU.
const spareDelayMs = 300;

// A connection of a process that exits breaks before its exit code is known.
const exitTimeoutMs = 500;

/** Options of `develop`. */
export interface DevelopOptions {
  /** Prints a line. Default: `console.log`. */
  readonly print?: (line: string) => void;
  /** Receives the standard error of the application. Default: the standard error of this process. */
  readonly onStderr?: (text: string) => void;
  /** Signal that stops the server. Default: aborted on SIGINT or SIGTERM. */
  readonly signal?: AbortSignal;
  /** Called with the port as soon as the server listens. */
  readonly onReady?: (port: number) => void;
  /** True to run the pending migrations before the first start. Default false. */
  readonly migratesAtStart?: boolean;
  /** False to check no types. Default true. */
  readonly checksTypes?: boolean;
}

/** Server in front of the versions of an application: one runs, and the next one starts beside it. */
export class DevelopmentServer implements AsyncDisposable {
  readonly #root: string;
  readonly #options: Required<Omit<DevelopOptions, "onReady">>;
  readonly #address: { readonly port: number; readonly host: string } = serverConfiguration.read();
  readonly #proxy: Proxy;
  readonly #assets: DevelopmentAssets;
  readonly #typeChecker: TypeChecker;
  #watcher: ProjectWatcher | undefined;

  /** Version that answers requests. */
  #current: { readonly application: ApplicationProcess; readonly upstream: Upstream } | undefined;
  #failure: string | undefined;
  /** Numbers of the newest version, and of the last one whose start has ended. */
  #generation = 0;
  #settledGeneration = 0;
  #starting: Promise<void> = Promise.resolve();
  /** Process of the version that starts, or of its migrations. */
  #startingProcess: { readonly application: ApplicationProcess; isComputing: boolean } | undefined;
  /** Resolves when the version that starts was reported as slow: requests wait no longer. */
  #slowStart: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Files of the version that was started last. */
  #files: ReadonlySet<string> = new Set();
  /** Packages that the next process preloads. */
  #packages: readonly string[] = [];
  #spare: ApplicationProcess | undefined;
  #spareTimer: NodeJS.Timeout | undefined;
  #hasMigrated: boolean;
  #migration: { readonly process: ApplicationProcess; readonly result: Promise<ExitReason | undefined> } | undefined;
  /** Result of the last type check, and the one that is shown. */
  #checkedTypes: TypeErrors | undefined;
  #shownTypes: TypeErrors | undefined;

  constructor(root: string, options: Required<Omit<DevelopOptions, "onReady">>) {
    this.#root = root;
    this.#options = options;
    this.#hasMigrated = !options.migratesAtStart;
    this.#spare = this.#fork();
    this.#proxy = makeProxy({
      answersHost: allowedHosts(this.#address.host),
      currentUpstream: (isPage) => this.#currentUpstream(isPage),
      migrate: () => this.#migrateAndRestart(),
      findAsset: (name) => this.#assets.find(name),
      initialEvents: () => [this.#failureEvent(), ...(this.#shownTypes ? [typesEvent(this.#shownTypes)] : [])],
      print: options.print,
    });
    this.#assets = new DevelopmentAssets(root, {
      onChange: (isStyle) => this.#proxy.broadcast({ kind: isStyle ? "styles" : "reload" }),
      onFailure: (reason) => {
        options.onStderr(`${reason}\n`);
        this.#proxy.broadcast(this.#assets.failureEvent);
      },
      onWarnings: (text) => options.onStderr(`${text}\n`),
    });
    this.#typeChecker = new TypeChecker(root, (result) => {
      this.#checkedTypes = result;
      // An error at start is mostly a type error as well, which would be shown twice.
      if (this.#failure === undefined) this.#showTypes();
    });
  }

  /**
   * Listens, and starts the first version. Returns the port; `undefined` if the signal was aborted meanwhile.
   *
   * @throws E_DEVELOP_LISTEN
   */
  async start(): Promise<number | undefined> {
    const { signal, print } = this.#options;
    this.#proxy.server.listen(this.#address.port, this.#address.host);
    try {
      await once(this.#proxy.server, "listening", { signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw errors.E_DEVELOP_LISTEN(this.#address.port, error).causedBy(error);
    }
    this.#watcher = watch(this.#root, (paths) => this.#onChange([...paths]));
    this.#beginRestart();
    print(`Developing on ${this.#styledUrl()}`);
    return this.#boundPort();
  }

  /** Stops the server and all processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watcher?.stop();
    this.#typeChecker.stop();
    this.#proxy.server.close();
    this.#proxy.server.closeAllConnections();
    clearTimeout(this.#spareTimer);
    await Promise.all([
      this.#assets.dispose(),
      this.#spare?.stop(0),
      this.#migration?.process.stop(0),
      this.#startingProcess?.application.stop(stopTimeoutMs),
      this.#current?.application.stop(stopTimeoutMs),
    ]);
  }

  #boundPort(): number {
    return (this.#proxy.server.address() as AddressInfo).port;
  }

  #styledUrl(): string {
    return styleText(
      "bold",
      `http://${this.#address.host === "127.0.0.1" ? "localhost" : this.#address.host}:${this.#boundPort()}`,
    );
  }

  #fork(command = "server"): ApplicationProcess {
    const [publicHost, packages, { onStderr }] = [this.#address.host, this.#packages, this.#options];
    return new ApplicationProcess({ root: this.#root, publicHost, packages, onStderr, command });
  }

  #onChange(paths: readonly string[]): void {
    this.#assets.update(paths);
    if (this.#options.checksTypes && paths.some((path) => /\.(?:[cm]?tsx?|json)$/.test(path)))
      this.#typeChecker.start();
    // After a failure, any source file may fix it, including files that were missing.
    const isCode = (path: string): boolean =>
      this.#failure === undefined ? this.#files.has(join(this.#root, path)) : /\.(?:[cm]?[jt]sx?|json)$/.test(path);
    const isPackage = (path: string): boolean => path === "package.json" || path === "package-lock.json";
    if (paths.some(isPackage)) {
      void this.#spare?.stop(0);
      this.#spare = undefined;
    }
    if (paths.some((path) => isCode(path) || isPackage(path) || path.startsWith(".env"))) return this.#beginRestart();
    const publicPaths = paths.filter((path) => path.startsWith("public/"));
    const isStyle = publicPaths.every((path) => path.endsWith(".css"));
    if (publicPaths.length > 0) this.#proxy.broadcast({ kind: isStyle ? "styles" : "reload" });
  }

  #beginRestart(): void {
    this.#stopStart();
    this.#generation += 1;
    this.#slowStart = Promise.withResolvers();
    this.#starting = Promise.race([this.#startVersion(this.#generation), this.#slowStart.promise]);
  }

  /** Stops the version that starts, whose files have changed. Migrations run on, except those in a loop. */
  #stopStart(): void {
    if (this.#startingProcess === undefined) return;
    const { application, isComputing } = this.#startingProcess;
    const isMigration = application === this.#migration?.process;
    if (isMigration && !isComputing) return;
    void application.stop(stopTimeoutMs);
    this.#startingProcess = undefined;
    if (isMigration) this.#migration = undefined;
  }

  async #startVersion(generation: number): Promise<void> {
    clearTimeout(this.#spareTimer);
    if (this.#hasMigrated || (await this.#migrateAtStart(generation))) await this.#startApplication(generation);
    this.#settledGeneration = generation;
  }

  /** True if a change has made this version obsolete, or the server stops. */
  #isObsolete(generation: number): boolean {
    return generation !== this.#generation || this.#options.signal.aborted;
  }

  /** Runs the pending migrations of a version. Returns true if it can start. */
  async #migrateAtStart(generation: number): Promise<boolean> {
    const result = this.#migrate();
    const endWatch = this.#migration && this.#watchStart(this.#migration.process);
    const reason = await result;
    endWatch?.();
    if (this.#isObsolete(generation)) return false;
    if (reason !== undefined) this.#reportFailure(reason);
    else this.#hasMigrated = true;
    return this.#hasMigrated;
  }

  async #startApplication(generation: number): Promise<void> {
    const startedMs = performance.now();
    const application = this.#spare ?? this.#fork();
    this.#spare = undefined;
    this.#files = application.files;
    const endWatch = this.#watchStart(application);
    const result = await application.start(this.#boundPort()).finally(endWatch);
    // A command that still writes files changes this version: browsers reload when it has ended.
    await this.#watcher?.settled();
    if (this.#isObsolete(generation)) return void application.stop(stopTimeoutMs);
    if (application.packages.size > 0) this.#packages = [...application.packages];
    this.#spareTimer = setTimeout(() => (this.#spare ??= this.#fork()), spareDelayMs);
    if (typeof result !== "number") return this.#reportFailure(result);
    this.#takeOver(application, result, Math.round(performance.now() - startedMs));
  }

  /** Replaces the version that runs by one that has started. */
  #takeOver(application: ApplicationProcess, port: number, durationMs: number): void {
    const previous = this.#current;
    this.#current = { application, upstream: this.#makeUpstream(application, port) };
    this.#failure = undefined;
    void this.#watchExit(application);
    this.#proxy.broadcast({ kind: "reload" });
    this.#showTypes();
    if (this.#options.checksTypes && previous === undefined) this.#typeChecker.start();
    this.#options.print(`${styleText("green", `Ready in ${durationMs} ms`)} on ${this.#styledUrl()}`);
    void previous?.application.stop(stopTimeoutMs);
  }

  async #watchExit(application: ApplicationProcess): Promise<void> {
    await application.exited;
    if (this.#current?.application !== application || this.#options.signal.aborted) return;
    this.#current = undefined;
    this.#reportFailure(await application.exitReason());
  }

  /** Reports a process that has not started after `slowStartMs`, with the line that runs. Returns a function that ends this. */
  #watchStart(application: ApplicationProcess): () => void {
    const startingProcess = { application, isComputing: false };
    this.#startingProcess = startingProcess;
    const report = async (): Promise<void> => {
      const frames = await application.runningFrames(startReactionMs);
      if (this.#startingProcess !== startingProcess) return;
      startingProcess.isComputing = frames.length > 0;
      const text = slowStartText(frames, slowStartMs, this.#root);
      this.#reportFailure({ text, isPrinted: false }, "The previous version still runs.");
      this.#slowStart.resolve();
    };
    const cancelReport = TimeInternals.after(slowStartMs, () => void report());
    return () => {
      cancelReport();
      if (this.#startingProcess === startingProcess) this.#startingProcess = undefined;
    };
  }

  #reportFailure(
    { text, isPrinted }: ExitReason,
    noteOnPrevious = "The newest version failed to start. The previous one still runs.",
  ): void {
    const { print, onStderr } = this.#options;
    this.#failure = plainText(text);
    if (!isPrinted) onStderr(`${styleFailure(this.#failure)}\n\n`);
    if (this.#current !== undefined) print(styleText("red", noteOnPrevious));
    this.#proxy.broadcast({ kind: "failure", reason: this.#failure });
  }

  #failureEvent(): BrowserEvent {
    return this.#failure === undefined ? this.#assets.failureEvent : { kind: "failure", reason: this.#failure };
  }

  /** Returns the running version. Waits while a new one starts. */
  async #currentUpstream(isPage: boolean): Promise<Upstream> {
    // A reload of the page tries again: the cause can lie outside of the files, such as a database that did not run.
    if (isPage && this.#current === undefined && this.#settledGeneration === this.#generation) this.#beginRestart();
    for (let awaitedGeneration = 0; awaitedGeneration !== this.#generation;) {
      awaitedGeneration = this.#generation;
      await this.#starting;
    }
    return this.#current?.upstream ?? { reason: this.#failure ?? "The application has exited." };
  }

  /** Creates the upstream of a version that has started. Its requests report a blocked process. */
  #makeUpstream(application: ApplicationProcess, port: number): Upstream {
    return {
      port,
      pendingSteps: () => application.pendingSteps(),
      exitReason: async () => {
        const hasExited = await settlesWithin(application.exited, exitTimeoutMs, { keepAlive: false });
        const isReplaced = this.#current !== undefined && this.#current.application !== application;
        return hasExited && !isReplaced ? plainText((await application.exitReason()).text) : undefined;
      },
      watch: watchRequests({
        application,
        blockedMs,
        onBlocked: (frames, request) => {
          if (this.#current?.application !== application) return;
          const reason = blockedText(frames, blockedMs, request, this.#root);
          this.#options.onStderr(`${styleFailure(reason)}\n\n`);
          this.#proxy.broadcast({ kind: "failure", title: "The application does not react.", reason });
        },
        onReaction: () => this.#proxy.broadcast(this.#failureEvent()),
      }),
    };
  }

  /** Runs the command `migrate`, once for concurrent calls. Returns its error. */
  async #migrate(): Promise<ExitReason | undefined> {
    if (this.#migration === undefined) {
      const process = this.#fork("migrate");
      this.#migration = { process, result: process.run(this.#boundPort()) };
    }
    const migration = this.#migration;
    const reason = await migration.result;
    if (this.#migration === migration) this.#migration = undefined;
    return reason;
  }

  /** Runs the migrations for the button of their page. Returns the text of their error. */
  async #migrateAndRestart(): Promise<string | undefined> {
    const reason = await this.#migrate();
    if (reason === undefined) this.#beginRestart();
    else if (!reason.isPrinted) this.#options.onStderr(`${styleFailure(reason.text)}\n\n`);
    return reason?.text;
  }

  #showTypes(): void {
    // The result of a running check replaces the last one, which is about former files.
    if (this.#typeChecker.isRunning || this.#checkedTypes?.text === this.#shownTypes?.text) return;
    const types = this.#checkedTypes;
    this.#shownTypes = types;
    if (types === undefined) this.#options.print(styleText("green", "The types have no errors any more."));
    else this.#options.print(`${styleText("yellow", typesTitle(types))}\n\n${types.text}\n`);
    this.#proxy.broadcast(typesEvent(types));
  }
}

/** Returns a text of the application without colours and other control characters. */
const plainText = (text: string): string => withoutControls(stripVTControlCharacters(text));
