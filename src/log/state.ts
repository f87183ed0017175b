import { AsyncLocalStorage } from "node:async_hooks";
import { type Entry, type Fields, levels, type Reporter } from "./entry.ts";
import { type FieldSerializer, fieldSerializer, secretNames } from "./field-serializer.ts";

/** A configured reporter and its state. */
export interface ReporterState {
  readonly reporter: Reporter;
  isBusy: boolean;
  hasFailed: boolean;
}

/** Process-wide state of this module. */
export interface LogState {
  /** Index in `levels` of the least serious level that is logged. The maximum until the log is configured. */
  threshold: number;
  /** Configured reporters, `undefined` until the log is configured. */
  reporters: readonly ReporterState[] | undefined;
  serializer: FieldSerializer;
  /** Fields of every event of this process. */
  processFields: Fields | undefined;
  isFlushedOnExit: boolean;
  /** Entry that `lastLine` holds as JSON. */
  lastEntry: Entry | undefined;
  lastLine: string;
  /** Time that `lastTimeText` holds as a text, in milliseconds. */
  lastTime: number;
  lastTimeText: string;
}

const initialState = (): LogState => ({
  threshold: levels.length - 1,
  reporters: undefined,
  serializer: fieldSerializer(secretNames),
  processFields: undefined,
  isFlushedOnExit: false,
  lastEntry: undefined,
  lastLine: "",
  lastTime: Number.NaN,
  lastTimeText: "",
});

export const logState: LogState = initialState();

/** Fields of the current asynchronous context, such as the id of a request. */
export const contextFields: AsyncLocalStorage<Fields> = new AsyncLocalStorage({ name: "limmat.log" });

/** Restores the state before the first configuration. */
export function resetLogState(): void {
  Object.assign(logState, initialState());
}
