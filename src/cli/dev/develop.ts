import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { Configuration } from "../../config/index.ts";
import { note } from "../report.ts";
import { processHost } from "../process-host.ts";
import { Application } from "./application.ts";
import type { News } from "./client.ts";
import { errors } from "./errors.ts";
import { makeProxy, type Version } from "./proxy.ts";
import { watch } from "./watch.ts";

const address = Configuration.group({
  port: Configuration.int("PORT", {
    description: "the port of the development server",
    default: 3000,
    min: 0,
    max: 65_535,
  }),
  host: Configuration.string("HOST", { description: "the address of the development server", default: "127.0.0.1" }),
});

const patience = 2000;

// How long the spare process leaves the processor to the browser, which loads the page meanwhile.
const breath = 300;

/** What is told to the terminal, and how it ends. */
export interface DevelopOptions {
  readonly say?: (line: string) => void;
  /** Takes what the application prints to the standard error. */
  readonly onError?: (text: string) => void;
  /** Ends it. By default SIGINT and SIGTERM do. */
  readonly signal?: AbortSignal;
  /** Told of the port, once it answers. */
  readonly onReady?: (port: number) => void;
}

/**
 * Runs the application of a folder behind a server that restarts it on every change, and gives the exit code.
 *
 * A new version takes over once it listens; one that does not start leaves the last good one in place, and what it said
 * stands in the terminal and over the page. Browsers reload by themselves. A spare process with all packages loaded
 * waits for the next change, so that only the application's own files are left to read; it is made once browsers had a moment
 * to load the page.
 */
export async function develop(root: string, options: DevelopOptions = {}): Promise<number> {
  try {
    return await run(root, options);
  } catch (error) {
    note(error, processHost().output);
    return 1;
  }
}

async function run(root: string, options: DevelopOptions): Promise<number> {
  const { say = console.log, onError = (text) => process.stderr.write(text) } = options;
  const signal = options.signal ?? endOfProcess();
  Configuration.setRoot(root);
  const { port, host } = address.read();

  let packages: readonly string[] = [];
  let current: { readonly application: Application; readonly port: number } | undefined;
  let failure: string | undefined;
  let turn = 0;
  let starting: Promise<void> = Promise.resolve();

  const prepare = (): Application => new Application({ root, packages, onError });
  let spare: Application | undefined = prepare();
  let later: NodeJS.Timeout | undefined;
  /** The files of the version that was tried last. */
  let files: ReadonlySet<string> = new Set();

  const version = async (): Promise<Version> => {
    for (let waited = 0; waited !== turn;) {
      waited = turn;
      await starting;
    }
    return current === undefined ? { reason: failure ?? "The application has ended." } : { port: current.port };
  };
  const greeting = (): News => ({ kind: "failure", reason: failure });
  const { server, tell } = makeProxy(version, greeting, say);
  const boundPort = (): number => (server.address() as AddressInfo).port;
  const url = (): string => `http://${host === "127.0.0.1" ? "localhost" : host}:${boundPort()}`;

  const fail = (reason: string): void => {
    failure = stripVTControlCharacters(reason);
    if (current !== undefined) say(styleText("red", "The newest version does not run; the one before still answers."));
    tell({ kind: "failure", reason: failure });
  };

  const restart = async (mine: number): Promise<void> => {
    const started = performance.now();
    clearTimeout(later);
    const application = spare ?? prepare();
    spare = undefined;
    files = application.files;
    const result = await application.start(boundPort());
    if (mine !== turn || signal.aborted) return void application.stop(patience);
    packages = [...(application.packages.size > 0 ? application.packages : packages)];
    later = setTimeout(() => (spare ??= prepare()), breath);
    if (!result.isRunning) return fail(result.reason);
    const before = current;
    current = { application, port: result.port };
    failure = undefined;
    void watchEnd(application);
    tell({ kind: "reload" });
    say(
      `${styleText("green", `Ready in ${Math.round(performance.now() - started)} ms`)} on ${styleText("bold", url())}`,
    );
    void before?.application.stop(patience);
  };

  const watchEnd = async (application: Application): Promise<void> => {
    await application.ended;
    if (current?.application !== application || signal.aborted) return;
    current = undefined;
    fail(application.said || "The application has ended.");
  };

  const begin = (isFresh: boolean): void => {
    if (isFresh) {
      void spare?.stop(0);
      spare = undefined;
    }
    turn += 1;
    starting = restart(turn);
  };

  const onChange = (paths: ReadonlySet<string>): void => {
    const list = [...paths];
    // While nothing runs, the file that is missing may be any.
    const isCode = (path: string): boolean =>
      failure === undefined ? files.has(join(root, path)) : /\.(?:[cm]?[jt]sx?|json)$/.test(path);
    const isPackage = (path: string): boolean => path === "package.json" || path === "package-lock.json";
    if (list.some((path) => isCode(path) || isPackage(path) || path.startsWith(".env"))) {
      return begin(list.some(isPackage));
    }
    const shown = list.filter((path) => path.startsWith("public/"));
    if (shown.length > 0) tell({ kind: shown.every((path) => path.endsWith(".css")) ? "styles" : "reload" });
  };

  server.listen(port, host);
  try {
    await once(server, "listening", { signal });
  } catch (error) {
    await spare?.stop(0);
    if (signal.aborted) return 0;
    throw errors.E_DEVELOP_LISTEN(port, error).causedBy(error);
  }
  const unwatch = watch(root, onChange);
  begin(false);
  say(`Developing on ${styleText("bold", url())}`);
  options.onReady?.(boundPort());

  if (!signal.aborted) await once(signal, "abort");
  unwatch();
  server.close();
  server.closeAllConnections();
  clearTimeout(later);
  await Promise.all([spare?.stop(0), current?.application.stop(patience)]);
  return 0;
}

function endOfProcess(): AbortSignal {
  const control = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => control.abort());
  return control.signal;
}
