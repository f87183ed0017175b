import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type REPLServer, start } from "node:repl";
import { inspect } from "node:util";
import { compileFunction, constants } from "node:vm";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { Log } from "../log/index.ts";

const log = Log.source("limmat.console");

type Variables = Readonly<Record<string, unknown>>;

/** Options of `evaluate`. */
export interface EvaluateOptions {
  readonly signal: AbortSignal;
  /** True if the result is formatted with colours. */
  readonly hasColors: boolean;
}

/**
 * Evaluates an expression or statements with top-level `await`. Imports are relative to the folder of the project. Returns
 * the result as a text: a string unchanged, other values as Node formats them, `undefined` for no value.
 *
 * @throws errors of the code; the reason of the signal as soon as it aborts.
 */
export async function evaluate(
  code: string,
  variables: Variables,
  { signal, hasColors }: EvaluateOptions,
): Promise<string | undefined> {
  await suppressImportWarning();
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  const evaluation = compile(code, Object.keys(variables))(...Object.values(variables)) as Promise<unknown>;
  const value = await Promise.race([evaluation, aborted.promise]);
  return typeof value === "string" || value === undefined ? value : inspect(value, { colors: hasColors, depth: 4 });
}

const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** Triggers Node's warning about experimental imports in compiled code while warnings are off. Node warns only once. */
async function suppressImportWarning(): Promise<void> {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  const imported: Promise<unknown> = compileFunction('return import("node:vm")', [], { importModuleDynamically })();
  process.emitWarning = emitWarning;
  await imported;
}

function compile(code: string, parameters: string[]): Function {
  const options = { filename: resolve(ConfigurationInternals.root(), "console"), importModuleDynamically };
  try {
    return compileFunction(`return (async () => (${code}\n))()`, parameters, options);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return compileFunction(`return (async () => {${code}\n})()`, parameters, options);
  }
}

/** Runs a read-eval-print loop until the user exits or the signal aborts. At a terminal it keeps a history. */
export async function startRepl(variables: Variables, signal: AbortSignal): Promise<void> {
  // The prompt names the environment, as a warning in production.
  const repl = start({ prompt: `${Configuration.environment()}> `, useGlobal: true, ignoreUndefined: true });
  for (const [name, value] of Object.entries(variables)) {
    Object.defineProperty(repl.context, name, { value, configurable: true, enumerable: true, writable: true });
  }
  if (process.stdin.isTTY) setUpHistory(repl);
  await new Promise((resolveExit) => {
    repl.on("exit", resolveExit);
    signal.addEventListener("abort", () => repl.close(), { once: true });
  });
}

/** Stores the history in the log folder. Node creates the file readable for its owner only, as input can be secret. */
function setUpHistory(repl: REPLServer): void {
  const path = resolve(
    ConfigurationInternals.root(),
    Configuration.readString("LOGS_DIR") ?? "logs",
    "console-history.log",
  );
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  } catch (error) {
    return log.warning("The console keeps no history", { error });
  }
  repl.setupHistory(path, (error) => {
    if (error !== null) log.warning("The console keeps no history", { error });
  });
}
