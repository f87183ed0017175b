import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { start } from "node:repl";
import { inspect } from "node:util";
import { compileFunction, constants } from "node:vm";
import { Configuration } from "../config/index.ts";
import { Log } from "../log/index.ts";

type Names = Readonly<Record<string, unknown>>;

/** How code is evaluated. */
export interface EvaluateOptions {
  readonly signal: AbortSignal;
  readonly isColoured: boolean;
}

/**
 * Evaluates an expression or statements, in which `await` works and imports are relative to the folder of the project, and
 * gives the result as a text: strings as they are, nothing for `undefined`, all else as Node shows it.
 *
 * @throws what the code throws; the reason of the signal as soon as that is aborted.
 */
export async function evaluate(
  code: string,
  names: Names,
  { signal, isColoured }: EvaluateOptions,
): Promise<string | undefined> {
  await allowImports();
  const interrupted = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => interrupted.reject(signal.reason), { once: true });
  const work = compile(code, Object.keys(names))(...Object.values(names)) as Promise<unknown>;
  const value = await Promise.race([work, interrupted.promise]);
  return typeof value === "string" || value === undefined ? value : inspect(value, { colors: isColoured, depth: 4 });
}

const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Imports once, so that Node says now, unheard, that this is experimental: nobody who types an import can do anything about it. */
async function allowImports(): Promise<void> {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  const imported: Promise<unknown> = compileFunction('return import("node:vm")', [], { importModuleDynamically })();
  process.emitWarning = emitWarning;
  await imported;
}

function compile(code: string, names: string[]): Function {
  const options = { filename: resolve(Configuration.root(), "console"), importModuleDynamically };
  try {
    return compileFunction(`return (async () => (${code}\n))()`, names, options);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return compileFunction(`return (async () => {${code}\n})()`, names, options);
  }
}

/** Reads, evaluates, prints, until the person leaves or the signal is aborted. At a terminal it keeps a history. */
export async function converse(names: Names, signal: AbortSignal): Promise<void> {
  // The prompt tells where one is: in production, a slip of the hand costs more.
  const repl = start({ prompt: `${Configuration.environment()}> `, useGlobal: true, ignoreUndefined: true });
  for (const [name, value] of Object.entries(names)) {
    Object.defineProperty(repl.context, name, { value, configurable: true, enumerable: true, writable: true });
  }
  if (process.stdin.isTTY) keepHistory(repl);
  await new Promise((leave) => {
    repl.on("exit", leave);
    signal.addEventListener("abort", () => repl.close(), { once: true });
  });
}

const log = Log.source("limmat.console");

/** Node makes the file readable for its owner only: what is typed may be secret. */
function keepHistory(repl: ReturnType<typeof start>): void {
  const path = resolve(Configuration.root(), Configuration.readString("LOGS_DIR") ?? "logs", "console-history.log");
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  } catch (error) {
    return log.warning("The console keeps no history", { error });
  }
  repl.setupHistory(path, (error) => {
    if (error !== null) log.warning("The console keeps no history", { error });
  });
}
