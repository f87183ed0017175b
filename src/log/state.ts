import { AsyncLocalStorage } from "node:async_hooks";
import { type Entry, type Fields, type Level, levels, type Reporter } from "./entry.ts";
import { type FieldSerializer, fieldSerializer, secretNames } from "./field-serializer.ts";

/** Options of `Log.configure`. */
export interface LogOptions {
  /** Least serious level that is logged. By default `LOG_LEVEL`. */
  readonly level?: Level;
  /** Destinations of the events. By default `Log.Reporters.defaults()`. */
  readonly reporters?: readonly Reporter[];
  /** Fragments of field names whose values are redacted, in addition to `Log.secretNames`. */
  readonly redact?: readonly string[];
}

/** A configured reporter and its state. */
export interface ReporterState {
  readonly reporter: Reporter;
  isBusy: boolean;
  hasFailed: boolean;
}

/** Process-wide state of this module. */
export class LogState {
  /** Options of the last call of `Log.configure`. */
  options: LogOptions = {};
  /** Index in `levels` of the least serious level that is logged. The maximum until the log is configured. */
  threshold: number = levels.length - 1;
  /** Configured reporters, `undefined` until the log is configured. */
  reporters: readonly ReporterState[] | undefined = undefined;
  serializer: FieldSerializer = fieldSerializer(secretNames);
  /** Fields of every event of this process. */
  processFields: Fields | undefined = undefined;
  isFlushedOnExit = false;
  /** Entry that `lastLine` holds as JSON. */
  lastEntry: Entry | undefined = undefined;
  lastLine = "";
  /** Time that `lastTimeText` holds as a text, in milliseconds. */
  lastTime: number = Number.NaN;
  lastTimeText = "";
}

export const logState: LogState = new LogState();

/** Fields of the current asynchronous context, such as the id of a request. */
export const contextFields: AsyncLocalStorage<Fields> = new AsyncLocalStorage({ name: "limmat.log" });

/** Restores the state before the first configuration. */
export function resetLogState(): void {
  Object.assign(logState, new LogState());
}
