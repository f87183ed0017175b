import { AsyncLocalStorage } from "node:async_hooks";
import { Time } from "../time/index.ts";
import { type Entry, type Fields, type Level, levels, type Logger, type Reporter } from "./entry.ts";
import { plain, type Plain, secretNames } from "./plain.ts";
import { configuredLevel, defaultReporters } from "./settings.ts";
import { complain } from "./write-buffer.ts";

/** What `Log.configure` is given. */
export interface LogOptions {
  /** The least serious level that is logged. By default `LOG_LEVEL`. */
  readonly level?: Level;
  /** Where events go. By default `Log.defaultReporters()`. */
  readonly reporters?: readonly Reporter[];
  /** More fragments of field names whose values are blanked, beside those of `Log.secretNames`. */
  readonly redact?: readonly string[];
}

interface Output {
  readonly reporter: Reporter;
  isBusy: boolean;
  hasFailed: boolean;
}

const [error, warning, info, debug] = [0, 1, 2, 3] as const;
const around = new AsyncLocalStorage<Fields>({ name: "limmat.log" });

// The process-wide state of the room. Until it is configured every level is let through to `write`, which does it.
let threshold: number = debug;
let outputs: readonly Output[] | undefined;
let copier: Plain = plain(secretNames);
let everywhere: Fields | undefined;
let isFlushedOnExit = false;

/**
 * Gives the logger of a source. Cheap, and bound to no configuration: made once per module.
 *
 * @example
 * const log = Log.source("shop.orders");
 * log.info("The order is placed", { order: id });
 * log.error("The payment failed", { order: id, error });
 */
export function source(name: string): Logger {
  return {
    error: (message, fields) => write(error, name, message, fields),
    warning: (message, fields) => {
      if (threshold >= warning) write(warning, name, message, fields);
    },
    info: (message, fields) => {
      if (threshold >= info) write(info, name, message, fields);
    },
    debug: (message, fields) => {
      if (threshold >= debug) write(debug, name, message, fields);
    },
  };
}

/** Adds fields to each event of this process, beside those of `withFields`: which of several processes it is. */
export function setProcessFields(fields: Fields): void {
  everywhere = fields;
}

/**
 * Calls a function, and adds fields to each event that is logged while it runs, in what it calls and awaits as well:
 * the id of a request. Nested calls add to each other.
 */
export function withFields<T>(fields: Fields, run: () => T): T {
  return around.run({ ...outerFields(), ...fields }, run);
}

/**
 * Adds fields to each event that is logged from here on, up to the end of the present callback and of all that it
 * awaits or starts. Half as costly as `withFields`: for the place where a server hands over a request.
 */
export function enterFields(fields: Fields): void {
  const outer = outerFields();
  around.enterWith(outer === undefined ? fields : { ...outer, ...fields });
}

/** The fields that `withFields` adds here: those of the request, for example. */
export function currentFields(): Fields | undefined {
  return around.getStore();
}

/** Whether events of a level are logged: for fields that are costly to gather. */
export function isEnabled(level: Level): boolean {
  if (outputs === undefined) configure();
  return threshold >= levels.indexOf(level);
}

/**
 * Sets level, reporters and secret names for the whole process. What is not given comes from the configuration, which
 * is also what happens at the first event when this is never called.
 */
export function configure(options: LogOptions = {}): void {
  flushNow();
  threshold = levels.indexOf(options.level ?? configuredLevel());
  outputs = (options.reporters ?? defaultReporters()).map((reporter) => ({
    reporter,
    isBusy: false,
    hasFailed: false,
  }));
  copier = plain([...secretNames, ...(options.redact ?? [])]);
  if (!isFlushedOnExit) process.on("exit", flushNow);
  isFlushedOnExit = true;
}

/** Writes what the reporters hold, and waits for it. */
export async function flush(): Promise<void> {
  await Promise.all((outputs ?? []).map(async (output) => attempt(output, () => output.reporter.flush?.())));
}

/** Forgets what was configured. For tests. */
export function reset(): void {
  flushNow();
  outputs = undefined;
  threshold = debug;
  copier = plain(secretNames);
  everywhere = undefined;
  process.off("exit", flushNow);
  isFlushedOnExit = false;
}

const outerFields = (): Fields | undefined => around.getStore() ?? everywhere;

function write(level: number, from: string, message: string, fields: Fields | undefined): void {
  if (outputs === undefined) configure();
  if (level > threshold) return;
  const outer = outerFields();
  const all = outer === undefined ? fields : fields === undefined ? outer : { ...outer, ...fields };
  const entry: Entry = {
    time: Time.timestamp(),
    level: levels[level] as Level,
    source: from,
    message,
    fields: all === undefined ? {} : copier.record(all),
    error: all?.error,
  };
  for (const output of outputs ?? []) {
    // A reporter that logs would call itself without end.
    if (output.isBusy) continue;
    output.isBusy = true;
    void attempt(output, () => output.reporter.report(entry));
    output.isBusy = false;
  }
}

function attempt(output: Output, run: () => Promise<void> | void): Promise<void> | void {
  const fail = (cause: unknown): void => {
    if (!output.hasFailed) complain(`limmat: a log reporter failed: ${String(cause)}`);
    output.hasFailed = true;
  };
  try {
    const running = run();
    return running instanceof Promise ? running.catch(fail) : undefined;
  } catch (cause) {
    fail(cause);
  }
}

function flushNow(): void {
  for (const output of outputs ?? []) void attempt(output, () => output.reporter.flush?.());
}
