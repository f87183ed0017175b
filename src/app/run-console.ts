import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type REPLServer, start } from "node:repl";
import { inspect } from "node:util";
import { compileFunction, constants } from "node:vm";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { Command, type Service, suggest } from "../core/index.ts";
import { Log } from "../log/index.ts";
import type { Application } from "./contract.ts";

const log = Log.source("limmat.console");

type Variables = Readonly<Record<string, unknown>>;

/** Runs the command `console`: evaluates the code, or what the user types if there is none. */
export async function runConsole(
  app: Application,
  code: string | undefined,
  context: Command.CommandContext,
): Promise<Command.Done> {
  const variables = createVariables(app, context.services);
  if (code === undefined) await startRepl(variables, context.signal);
  else {
    const result = await evaluate(code, variables, context);
    if (result !== undefined) context.output.print(result);
  }
  return Command.done;
}

function createVariables(app: Application, services: readonly Service.Service[]): Variables {
  const servicesByName = Object.fromEntries(services.map((service) => [service.name, service]));
  const serviceVariables = Object.entries(servicesByName)
    .map(([name, service]) => [toIdentifier(name), service] as const)
    // A service must not shadow a global, such as "process".
    .filter(([name]) => /^[a-z_$][\w$]*$/i.test(name) && !(name in globalThis));
  return { ...Object.fromEntries(serviceVariables), services: servicesByName, app };
}

const toIdentifier = (name: string): string =>
  name.replaceAll(/[^a-z\d]+([a-z\d])/gi, (_, next: string) => next.toUpperCase());

/**
 * Evaluates an expression or statements with top-level `await`. Imports are relative to the folder of the project. Returns
 * the result as a text: a string unchanged, other values as Node formats them, `undefined` for no value.
 *
 * @throws errors of the code; the reason of the signal as soon as it aborts.
 */
async function evaluate(
  code: string,
  variables: Variables,
  { signal, output }: Command.CommandContext,
): Promise<string | undefined> {
  await suppressImportWarning();
  const names = Object.keys(variables);
  const run = compile(code, names)(...Object.values(variables)) as () => Promise<unknown>;
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  const value = await Promise.race([run(), aborted.promise]).catch((thrown: unknown) => {
    throw explain(thrown, names);
  });
  return typeof value === "string" || value === undefined
    ? value
    : inspect(value, { colors: output.isTerminal, depth: 4 });
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

const consoleFile = (): string => resolve(ConfigurationInternals.root(), "console");

/** Compiles the code to a function that returns an asynchronous function: of an expression, or else of statements. */
function compile(code: string, parameters: string[]): Function {
  const prefix = "return async () => ";
  // Columns in stack traces count from the start of the code.
  const options = { filename: consoleFile(), columnOffset: -`${prefix}(`.length, importModuleDynamically };
  try {
    return compileFunction(`${prefix}(${code}\n)`, parameters, options);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  try {
    return compileFunction(`${prefix}{${code}\n}`, parameters, options);
  } catch (cause) {
    throw cause instanceof SyntaxError ? findSyntaxError(code, cause) : cause;
  }
}

/**
 * Returns the syntax error of the code itself, with its line instead of a stack. That of the compiled text can be about the
 * brackets around the code: "Unexpected token '}'" for `1 +`.
 */
function findSyntaxError(code: string, compiledError: SyntaxError): SyntaxError {
  try {
    compileFunction(code, [], { filename: consoleFile() });
  } catch (error) {
    // Without the function around it, a valid await is an error as well.
    if (error instanceof SyntaxError && !error.message.startsWith("await ")) {
      error.stack = error.stack?.split("\n\n")[0] ?? "";
      if (error.message.startsWith("Cannot use import statement")) error.message += ". Use await import()";
      return error;
    }
  }
  delete compiledError.stack;
  return compiledError;
}

const frameworkUrl = new URL("..", import.meta.url).href;
const maxCauseDepth = 8;

/** Removes the frames of Node and of the framework from the stacks of an error, and adds the variables to an unknown name. */
function explain(thrown: unknown, variables: readonly string[]): unknown {
  let error = thrown;
  for (let depth = 0; error instanceof Error && depth < maxCauseDepth; depth++, error = error.cause) {
    if (Object.isFrozen(error)) continue;
    const lines = error.stack?.split("\n") ?? [];
    const isFrame = (line: string): boolean => /^\s+at /.test(line);
    const name = error instanceof ReferenceError ? /^(\S+) is not defined$/.exec(error.message)?.[1] : undefined;
    // Other files have other variables.
    if (name !== undefined && lines.find(isFrame)?.includes(consoleFile()) === true) {
      const [similar] = suggest(name, variables);
      const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
      error.message += `.${hint} Variables: ${variables.join(", ")}`;
    }
    const kept = lines.filter((line) => !isFrame(line) || !(line.includes(frameworkUrl) || /\bnode:/.test(line)));
    if (kept.some(isFrame)) error.stack = kept.join("\n");
    else delete error.stack;
  }
  return thrown;
}

/** Runs a read-eval-print loop until the user exits or the signal aborts. At a terminal it keeps a history. */
async function startRepl(variables: Variables, signal: AbortSignal): Promise<void> {
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
