import { Time, TimeInternals } from "../time/index.ts";
import { type Entry, type Fields, type Level, levels, type Logger } from "./entry.ts";
import { fieldSerializer, secretNames } from "./field-serializer.ts";
import { configuredLevel, defaultReporters } from "./settings.ts";
import { contextFields, type LogOptions, logState, type ReporterState, resetLogState } from "./state.ts";
import { writeError } from "./reporters.ts";

// Indices in `levels`.
const [error, warning, info, debug] = [0, 1, 2, 3] as const;

/**
 * Creates the logger of a source. Cheap and independent of the configuration: create one per module.
 *
 * @example
 * const log = Log.source("shop.orders");
 * log.info("The order is placed", { order: id });
 * log.error("The payment failed", { order: id, error });
 */
export function source(name: string): Logger {
  return {
    error: (message, fields) => logEvent(error, name, message, fields),
    warning: (message, fields) => {
      if (logState.threshold >= warning) logEvent(warning, name, message, fields);
    },
    info: (message, fields) => {
      if (logState.threshold >= info) logEvent(info, name, message, fields);
    },
    debug: (message, fields) => {
      if (logState.threshold >= debug) logEvent(debug, name, message, fields);
    },
  };
}

/** Sets fields that every event of this process has, such as the number of a worker. `withFields` overrides them. */
export function setProcessFields(fields: Fields): void {
  logState.processFields = fields;
}

/**
 * Calls a function, and adds fields to every event that it logs, including its calls and awaits. Use it for the id of a
 * request. Nested calls merge their fields.
 */
export function withFields<T>(fields: Fields, run: () => T): T {
  return contextFields.run({ ...inheritedFields(), ...fields }, run);
}

/**
 * Adds fields to every event from here to the end of the current callback, including the asynchronous work that it starts.
 * Half the cost of `withFields`: meant for the request handler of a server.
 */
export function enterFields(fields: Fields): void {
  const inherited = inheritedFields();
  contextFields.enterWith(inherited === undefined ? fields : { ...inherited, ...fields });
}

/** Returns the fields that `withFields` adds in the current context, such as the fields of the request. */
export function currentFields(): Fields | undefined {
  return contextFields.getStore();
}

/** Returns true if events of a level are logged. Use it before computing costly fields. */
export function isEnabled(level: Level): boolean {
  if (logState.reporters === undefined) configure();
  return logState.threshold >= levels.indexOf(level);
}

/**
 * Sets level, reporters and secret names for the whole process. Missing options come from the configuration. Without a
 * call, the first event configures the log with the defaults.
 */
export function configure(options: LogOptions = {}): void {
  flushReporters();
  logState.options = options;
  logState.threshold = levels.indexOf(options.level ?? configuredLevel());
  logState.reporters = (options.reporters ?? defaultReporters()).map((reporter) => ({
    reporter,
    isBusy: false,
    hasFailed: false,
  }));
  logState.serializer = fieldSerializer([...secretNames, ...(options.redact ?? [])]);
  if (!logState.isFlushedOnExit) process.on("exit", flushReporters);
  logState.isFlushedOnExit = true;
}

/** Replaces options of the last `configure`, and keeps the others. Returns a function that restores the former ones. */
export function reconfigure(changes: LogOptions): () => void {
  const { options } = logState;
  configure({ ...options, ...changes });
  return () => (Object.keys(options).length === 0 ? reset() : configure(options));
}

/** Writes the buffered events of all reporters. */
export async function flush(): Promise<void> {
  await Promise.all(
    (logState.reporters ?? []).map(async (state) => runReporter(state, () => state.reporter.flush?.())),
  );
}

/** Limit of the events that one statement logs. */
export interface EventLimit {
  readonly maxEvents: number;
  readonly periodMs: number;
}

/**
 * Limits a statement that clients can trigger at will, so that they cannot fill the disk. The first event of the next
 * period has the number of the omitted ones in its field `omitted`.
 */
export function limitEvents(write: Logger["info"], { maxEvents, periodMs }: EventLimit): Logger["info"] {
  let startMs = -Infinity;
  let count = 0;
  return (message, fields) => {
    const nowMs = Time.monotonic();
    const isNewPeriod = nowMs - startMs >= periodMs;
    const omitted = isNewPeriod ? Math.max(0, count - maxEvents) : 0;
    if (isNewPeriod) [startMs, count] = [nowMs, 0];
    count += 1;
    if (count <= maxEvents) write(message, omitted === 0 ? fields : { ...fields, omitted });
  };
}

/** Removes the configuration of the log. For tests. */
export function reset(): void {
  flushReporters();
  process.off("exit", flushReporters);
  resetLogState();
}

const inheritedFields = (): Fields | undefined => contextFields.getStore() ?? logState.processFields;

function logEvent(level: number, sourceName: string, message: string, fields: Fields | undefined): void {
  if (logState.reporters === undefined) configure();
  if (level > logState.threshold) return;
  const inherited = inheritedFields();
  const merged = inherited === undefined ? fields : fields === undefined ? inherited : { ...inherited, ...fields };
  const entry: Entry = {
    time: TimeInternals.timestamp(),
    level: levels[level] as Level,
    source: sourceName,
    message: logState.serializer.redactUrls(message),
    fields: merged === undefined ? {} : logState.serializer.serialize(merged),
    error: merged?.error,
  };
  for (const state of logState.reporters ?? []) {
    // Prevents endless recursion when a reporter logs.
    if (state.isBusy) continue;
    state.isBusy = true;
    void runReporter(state, () => state.reporter.report(entry));
    state.isBusy = false;
  }
}

function runReporter(state: ReporterState, run: () => Promise<void> | void): Promise<void> | void {
  const fail = (cause: unknown): void => {
    if (!state.hasFailed) writeError(`limmat: a log reporter failed: ${String(cause)}`);
    state.hasFailed = true;
  };
  try {
    const running = run();
    return running instanceof Promise ? running.catch(fail) : undefined;
  } catch (cause) {
    fail(cause);
  }
}

function flushReporters(): void {
  for (const state of logState.reporters ?? []) void runReporter(state, () => state.reporter.flush?.());
}
