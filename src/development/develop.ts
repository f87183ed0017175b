import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { allowedHosts, allowedHostsField, setProjectRoot } from "../config/internal.ts";
import { Command } from "../core/index.ts";
import { settlesWithin, TimeInternals } from "../time/index.ts";
import { printError, processHost } from "../program/index.ts";
import { ApplicationProcess, type ExitReason } from "./application-process.ts";
import type { BrowserEvent } from "./browser-client.ts";
import { DevelopmentAssets } from "./development-assets.ts";
import { errors } from "./errors.ts";
import { styleFailure, withoutControls } from "./failure.ts";
import { makeProxy, type Upstream } from "./proxy.ts";
import { watchRequests } from "./request-watch.ts";
import { TypeChecker, type TypeErrors } from "./type-checker.ts";
import { blockedText, slowStartText } from "./unresponsive.ts";
import { watch } from "./watch.ts";

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

/**
 * Runs an application behind a proxy that restarts it on every change, and returns the exit code.
 *
 * A new version takes over when it listens. If it fails to start, the previous version keeps running, and the error is
 * shown in the terminal and over the page. Browsers reload automatically. A spare process with preloaded packages waits
 * for the next change, so that a restart reads only the application's own files. The sources in `resources` are bundled
 * in memory. Types are checked in a further process, and their errors do not prevent a start.
 */
export async function develop(root: string, options: DevelopOptions = {}): Promise<number> {
  try {
    await runDevelopmentServer(root, options);
    return 0;
  } catch (error) {
    printError(error, processHost().output);
    return 1;
  }
}

/** Runs the command `dev`. Returns `undefined` for wrong arguments. @throws E_DEVELOP_LISTEN */
export async function runDevelop(args: readonly string[], signal: AbortSignal): Promise<Command.Done | undefined> {
  if (!args.every((arg) => arg === "--migrate" || arg === "--no-types")) return undefined;
  const options = { migratesAtStart: args.includes("--migrate"), checksTypes: !args.includes("--no-types") };
  await runDevelopmentServer(ConfigurationInternals.root(), { signal, ...options });
  return Command.done;
}

async function runDevelopmentServer(root: string, options: DevelopOptions): Promise<void> {
  const { print = console.log, onStderr = (text) => process.stderr.write(text) } = options;
  const { migratesAtStart = false, checksTypes = true } = options;
  const signal = options.signal ?? processShutdownSignal();
  setProjectRoot(root);
  const { port, host } = serverConfiguration.read();

  let packages: readonly string[] = [];
  let current: { readonly application: ApplicationProcess; readonly upstream: Upstream } | undefined;
  let failure: string | undefined;
  let generation = 0;
  let settledGeneration = 0;
  let starting: Promise<void> = Promise.resolve();
  let hasMigrated = !migratesAtStart;
  let typeErrors: TypeErrors | undefined;

  const forkApplication = (command = "server"): ApplicationProcess =>
    new ApplicationProcess({ root, publicHost: host, packages, onStderr, command });
  let spare: ApplicationProcess | undefined = forkApplication();
  let spareTimer: NodeJS.Timeout | undefined;
  /** Process of the version that starts, or of its migrations. */
  let startingProcess: { readonly application: ApplicationProcess; isComputing: boolean } | undefined;
  /** Resolves when the version that starts was reported as slow: requests wait no longer. */
  let slowStart = Promise.withResolvers<void>();
  /** Files of the version that was started last. */
  let files: ReadonlySet<string> = new Set();

  const currentUpstream = async (isPage: boolean): Promise<Upstream> => {
    // A reload of the page tries again: the cause can lie outside of the files, such as a database that did not run.
    if (isPage && current === undefined && settledGeneration === generation) beginRestart(false);
    for (let awaitedGeneration = 0; awaitedGeneration !== generation;) {
      awaitedGeneration = generation;
      await starting;
    }
    return current?.upstream ?? { reason: failure ?? "The application has exited." };
  };
  const failureEvent = (): BrowserEvent =>
    failure === undefined ? assetFailureEvent(assets.failure) : { kind: "failure", reason: failure };
  const initialEvents = (): readonly BrowserEvent[] => [
    failureEvent(),
    ...(typeErrors === undefined ? [] : [typesEvent(typeErrors)]),
  ];
  const findAsset = (name: string): Promise<Uint8Array | undefined> => assets.find(name);
  const { server, broadcast } = makeProxy({
    answersHost: allowedHosts(host),
    currentUpstream,
    migrate: async () => {
      const reason = await migrate();
      if (reason === undefined) beginRestart(false);
      else if (!reason.isPrinted) onStderr(`${styleFailure(reason.text)}\n\n`);
      return reason?.text;
    },
    findAsset,
    initialEvents,
    print,
  });
  const assets = new DevelopmentAssets(root, {
    onChange: (isStyle) => broadcast({ kind: isStyle ? "styles" : "reload" }),
    onFailure: (reason) => {
      onStderr(`${reason}\n`);
      broadcast(assetFailureEvent(reason));
    },
    onWarnings: (text) => onStderr(`${text}\n`),
  });
  const boundPort = (): number => (server.address() as AddressInfo).port;
  const url = (): string => `http://${host === "127.0.0.1" ? "localhost" : host}:${boundPort()}`;

  let checkedTypes: TypeErrors | undefined;
  const showTypes = (): void => {
    // The result of a running check replaces the last one, which is about former files.
    if (typeChecker.isRunning || checkedTypes?.text === typeErrors?.text) return;
    typeErrors = checkedTypes;
    if (typeErrors === undefined) print(styleText("green", "The types have no errors any more."));
    else print(`${styleText("yellow", typesTitle(typeErrors))}\n\n${typeErrors.text}\n`);
    broadcast(typesEvent(typeErrors));
  };
  const typeChecker = new TypeChecker(root, (result) => {
    checkedTypes = result;
    // An error at start is mostly a type error as well, which would be shown twice.
    if (failure === undefined) showTypes();
  });

  const reportFailure = ({ text, isPrinted }: ExitReason): void => {
    failure = withoutControls(stripVTControlCharacters(text));
    if (!isPrinted) onStderr(`${styleFailure(failure)}\n\n`);
    if (current !== undefined)
      print(styleText("red", "The newest version failed to start. The previous one still runs."));
    broadcast({ kind: "failure", reason: failure });
  };

  /** Reports a process that has not started after `slowStartMs`, with the line that runs. Returns a function that ends this. */
  const watchStart = (application: ApplicationProcess): (() => void) => {
    const ownProcess = { application, isComputing: false };
    startingProcess = ownProcess;
    const report = async (): Promise<void> => {
      const frames = await application.runningFrames(startReactionMs);
      if (startingProcess !== ownProcess) return;
      ownProcess.isComputing = frames.length > 0;
      failure = withoutControls(slowStartText(frames, slowStartMs, root));
      onStderr(`${styleFailure(failure)}\n\n`);
      if (current !== undefined) print(styleText("red", "The previous version still runs."));
      broadcast({ kind: "failure", reason: failure });
      slowStart.resolve();
    };
    const cancelReport = TimeInternals.after(slowStartMs, () => void report());
    return () => {
      cancelReport();
      if (startingProcess === ownProcess) startingProcess = undefined;
    };
  };

  /** Creates the upstream of a version that has started. Its requests report a blocked process. */
  const makeUpstream = (application: ApplicationProcess, applicationPort: number): Upstream => ({
    port: applicationPort,
    pendingSteps: () => application.pendingSteps(),
    exitReason: async () => {
      const hasExited = await settlesWithin(application.exited, exitTimeoutMs, { keepAlive: false });
      const isReplaced = current !== undefined && current.application !== application;
      if (!hasExited || isReplaced) return undefined;
      return withoutControls(stripVTControlCharacters((await application.exitReason()).text));
    },
    watch: watchRequests({
      application,
      blockedMs,
      onBlocked: (frames, request) => {
        if (current?.application !== application) return;
        const reason = withoutControls(blockedText(frames, blockedMs, request, root));
        onStderr(`${styleFailure(reason)}\n\n`);
        broadcast({ kind: "failure", title: "The application does not react.", reason });
      },
      onReaction: () => broadcast(failureEvent()),
    }),
  });

  let migration: { readonly process: ApplicationProcess; readonly result: Promise<ExitReason | undefined> } | undefined;
  /** Runs the command `migrate`, once for concurrent calls. Returns its error. */
  const migrate = async (): Promise<ExitReason | undefined> => {
    if (migration === undefined) {
      const process = forkApplication("migrate");
      migration = { process, result: process.run(boundPort()) };
    }
    const ownMigration = migration;
    const reason = await ownMigration.result;
    if (migration === ownMigration) migration = undefined;
    return reason;
  };

  /** Stops the version that starts, whose files have changed. Migrations run on, except those in a loop. */
  const stopStart = (): void => {
    const { application, isComputing } = startingProcess ?? {};
    const isMigration = application !== undefined && application === migration?.process;
    if (application === undefined || (isMigration && !isComputing)) return;
    void application.stop(stopTimeoutMs);
    startingProcess = undefined;
    if (isMigration) migration = undefined;
  };

  const restart = async (ownGeneration: number): Promise<void> => {
    await startVersion(ownGeneration);
    settledGeneration = ownGeneration;
  };

  const startVersion = async (ownGeneration: number): Promise<void> => {
    clearTimeout(spareTimer);
    if (!hasMigrated) {
      const result = migrate();
      const endWatch = migration && watchStart(migration.process);
      const reason = await result;
      endWatch?.();
      if (ownGeneration !== generation || signal.aborted) return;
      if (reason !== undefined) return reportFailure(reason);
      hasMigrated = true;
    }
    const startedMs = performance.now();
    const application = spare ?? forkApplication();
    spare = undefined;
    files = application.files;
    const endWatch = watchStart(application);
    const result = await application.start(boundPort()).finally(endWatch);
    // A command that still writes files changes this version: browsers reload when it has ended.
    await watcher.settled();
    if (ownGeneration !== generation || signal.aborted) return void application.stop(stopTimeoutMs);
    packages = [...(application.packages.size > 0 ? application.packages : packages)];
    spareTimer = setTimeout(() => (spare ??= forkApplication()), spareDelayMs);
    if (!result.isRunning) return reportFailure(result.reason);
    const previous = current;
    current = { application, upstream: makeUpstream(application, result.port) };
    failure = undefined;
    void watchExit(application);
    broadcast({ kind: "reload" });
    showTypes();
    if (checksTypes && previous === undefined) typeChecker.start();
    print(
      `${styleText("green", `Ready in ${Math.round(performance.now() - startedMs)} ms`)} on ${styleText("bold", url())}`,
    );
    void previous?.application.stop(stopTimeoutMs);
  };

  const watchExit = async (application: ApplicationProcess): Promise<void> => {
    await application.exited;
    if (current?.application !== application || signal.aborted) return;
    current = undefined;
    reportFailure(await application.exitReason());
  };

  const beginRestart = (discardsSpare: boolean): void => {
    if (discardsSpare) {
      void spare?.stop(0);
      spare = undefined;
    }
    stopStart();
    generation += 1;
    slowStart = Promise.withResolvers();
    starting = Promise.race([restart(generation), slowStart.promise]);
  };

  const onChange = (paths: ReadonlySet<string>): void => {
    const changedPaths = [...paths];
    assets.update(changedPaths);
    if (checksTypes && changedPaths.some((path) => /\.(?:[cm]?tsx?|json)$/.test(path))) typeChecker.start();
    // After a failure, any source file may fix it, including files that were missing.
    const isCode = (path: string): boolean =>
      failure === undefined ? files.has(join(root, path)) : /\.(?:[cm]?[jt]sx?|json)$/.test(path);
    const isPackage = (path: string): boolean => path === "package.json" || path === "package-lock.json";
    if (changedPaths.some((path) => isCode(path) || isPackage(path) || path.startsWith(".env"))) {
      return beginRestart(changedPaths.some(isPackage));
    }
    const publicPaths = changedPaths.filter((path) => path.startsWith("public/"));
    if (publicPaths.length > 0)
      broadcast({ kind: publicPaths.every((path) => path.endsWith(".css")) ? "styles" : "reload" });
  };

  server.listen(port, host);
  try {
    await once(server, "listening", { signal });
  } catch (error) {
    await Promise.all([assets.dispose(), spare?.stop(0)]);
    if (signal.aborted) return;
    throw errors.E_DEVELOP_LISTEN(port, error).causedBy(error);
  }
  const watcher = watch(root, onChange);
  beginRestart(false);
  print(`Developing on ${styleText("bold", url())}`);
  options.onReady?.(boundPort());

  if (!signal.aborted) await once(signal, "abort");
  watcher.stop();
  typeChecker.stop();
  server.close();
  server.closeAllConnections();
  clearTimeout(spareTimer);
  await Promise.all([
    assets.dispose(),
    spare?.stop(0),
    migration?.process.stop(0),
    startingProcess?.application.stop(stopTimeoutMs),
    current?.application.stop(stopTimeoutMs),
  ]);
}

const assetFailureEvent = (reason: string | undefined): BrowserEvent => ({
  kind: "failure",
  title: "The assets have errors. This page uses their previous version.",
  reason,
});

const typesTitle = ({ count }: TypeErrors): string =>
  `${count === 1 ? "1 type error" : `${count} type errors`}. The application runs all the same.`;

const typesEvent = (found: TypeErrors | undefined): BrowserEvent => ({
  kind: "types",
  count: found?.count ?? 0,
  text: found?.text,
});

function processShutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
