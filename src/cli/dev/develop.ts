import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { Configuration } from "../../config/index.ts";
import { allowedHosts, allowedHostsField, setProjectRoot } from "../../config/internal.ts";
import { printError } from "../format-error.ts";
import { processHost } from "../host.ts";
import { ApplicationProcess } from "./application-process.ts";
import type { BrowserEvent } from "./browser-client.ts";
import { DevelopmentAssets } from "./development-assets.ts";
import { errors } from "./errors.ts";
import { makeProxy, type Upstream } from "./proxy.ts";
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

// Delay before the spare process is forked, so that it does not compete with the browser's page load for the CPU.
const spareDelayMs = 300;

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
}

/**
 * Runs an application behind a proxy that restarts it on every change, and returns the exit code.
 *
 * A new version takes over when it listens. If it fails to start, the previous version keeps running, and the error is
 * shown in the terminal and over the page. Browsers reload automatically. A spare process with preloaded packages waits
 * for the next change, so that a restart reads only the application's own files. The sources in `resources` are bundled
 * in memory.
 */
export async function develop(root: string, options: DevelopOptions = {}): Promise<number> {
  try {
    return await runDevelopServer(root, options);
  } catch (error) {
    printError(error, processHost().output);
    return 1;
  }
}

async function runDevelopServer(root: string, options: DevelopOptions): Promise<number> {
  const { print = console.log, onStderr = (text) => process.stderr.write(text) } = options;
  const signal = options.signal ?? processShutdownSignal();
  setProjectRoot(root);
  const { port, host } = serverConfiguration.read();

  let packages: readonly string[] = [];
  let current: { readonly application: ApplicationProcess; readonly port: number } | undefined;
  let failure: string | undefined;
  let generation = 0;
  let starting: Promise<void> = Promise.resolve();

  const forkApplication = (): ApplicationProcess =>
    new ApplicationProcess({ root, publicHost: host, packages, onStderr });
  let spare: ApplicationProcess | undefined = forkApplication();
  let spareTimer: NodeJS.Timeout | undefined;
  /** Files of the version that was started last. */
  let files: ReadonlySet<string> = new Set();

  const currentUpstream = async (): Promise<Upstream> => {
    for (let awaitedGeneration = 0; awaitedGeneration !== generation;) {
      awaitedGeneration = generation;
      await starting;
    }
    return current === undefined ? { reason: failure ?? "The application has exited." } : { port: current.port };
  };
  const initialEvent = (): BrowserEvent =>
    failure === undefined ? assetFailureEvent(assets.failure) : { kind: "failure", reason: failure };
  const findAsset = (name: string): Promise<Uint8Array | undefined> => assets.find(name);
  const { server, broadcast } = makeProxy({
    answersHost: allowedHosts(host),
    currentUpstream,
    findAsset,
    initialEvent,
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

  const reportFailure = (reason: string): void => {
    failure = stripVTControlCharacters(reason);
    if (current !== undefined)
      print(styleText("red", "The newest version failed to start. The previous one still runs."));
    broadcast({ kind: "failure", reason: failure });
  };

  const restart = async (ownGeneration: number): Promise<void> => {
    const startedMs = performance.now();
    clearTimeout(spareTimer);
    const application = spare ?? forkApplication();
    spare = undefined;
    files = application.files;
    const result = await application.start(boundPort());
    if (ownGeneration !== generation || signal.aborted) return void application.stop(stopTimeoutMs);
    packages = [...(application.packages.size > 0 ? application.packages : packages)];
    spareTimer = setTimeout(() => (spare ??= forkApplication()), spareDelayMs);
    if (!result.isRunning) return reportFailure(result.reason);
    const previous = current;
    current = { application, port: result.port };
    failure = undefined;
    void watchExit(application);
    broadcast({ kind: "reload" });
    print(
      `${styleText("green", `Ready in ${Math.round(performance.now() - startedMs)} ms`)} on ${styleText("bold", url())}`,
    );
    void previous?.application.stop(stopTimeoutMs);
  };

  const watchExit = async (application: ApplicationProcess): Promise<void> => {
    await application.exited;
    if (current?.application !== application || signal.aborted) return;
    current = undefined;
    reportFailure(application.stderrTail || "The application has exited.");
  };

  const beginRestart = (discardsSpare: boolean): void => {
    if (discardsSpare) {
      void spare?.stop(0);
      spare = undefined;
    }
    generation += 1;
    starting = restart(generation);
  };

  const onChange = (paths: ReadonlySet<string>): void => {
    const changedPaths = [...paths];
    assets.update(changedPaths);
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
    if (signal.aborted) return 0;
    throw errors.E_DEVELOP_LISTEN(port, error).causedBy(error);
  }
  const stopWatching = watch(root, onChange);
  beginRestart(false);
  print(`Developing on ${styleText("bold", url())}`);
  options.onReady?.(boundPort());

  if (!signal.aborted) await once(signal, "abort");
  stopWatching();
  server.close();
  server.closeAllConnections();
  clearTimeout(spareTimer);
  await Promise.all([assets.dispose(), spare?.stop(0), current?.application.stop(stopTimeoutMs)]);
  return 0;
}

const assetFailureEvent = (reason: string | undefined): BrowserEvent => ({
  kind: "failure",
  title: "The assets have errors. This page uses their previous version.",
  reason,
});

function processShutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
