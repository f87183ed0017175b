/** Severity of an event, from the highest to the lowest. */
export type Level = "error" | "warning" | "info" | "debug";

/** All levels, the most severe first. */
export const levels: readonly Level[] = ["error", "warning", "info", "debug"];

/** Structured fields of an event. The field `error` holds the thrown value; its stack and causes are logged. */
export interface Fields {
  readonly error?: unknown;
  readonly [name: string]: unknown;
}

/** One log event, as reporters receive it. */
export interface Entry {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly level: Level;
  /** Name of the source, in dot style: `limmat.http`. */
  readonly source: string;
  readonly message: string;
  /** Fields of the event and of its context as plain JSON values, with secrets redacted. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Unchanged value of the field `error`, for reporters that send it to another system. May contain secrets. */
  readonly error: unknown;
}

/** Destination of log events. A failure is reported once on the standard error and affects no caller and no other reporter. */
export interface Reporter {
  readonly report: (entry: Entry) => Promise<void> | void;
  /** Writes buffered events. Called by `Log.flush`. At the exit of the process only its synchronous part runs. */
  readonly flush?: () => Promise<void> | void;
}

/** Logger of one source. */
export interface Logger {
  /** Logs that the program cannot work correctly. */
  readonly error: (message: string, fields?: Fields) => void;
  /** Logs a suspicious event. */
  readonly warning: (message: string, fields?: Fields) => void;
  /** Logs a normal event. */
  readonly info: (message: string, fields?: Fields) => void;
  /** Logs a detail for developers. */
  readonly debug: (message: string, fields?: Fields) => void;
}
