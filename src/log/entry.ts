/** How serious an event is, from the worst to the least. */
export type Level = "error" | "warning" | "info" | "debug";

/** All levels, the worst first. */
export const levels: readonly Level[] = ["error", "warning", "info", "debug"];

/** What is told beside the message. The field `error` holds what was thrown, with its stack and causes. */
export interface Fields {
  readonly error?: unknown;
  readonly [name: string]: unknown;
}

/** One event, as reporters get it. */
export interface Entry {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly level: Level;
  /** Where it comes from, in the dot style: `limmat.web`. */
  readonly source: string;
  readonly message: string;
  /** The fields as plain JSON values, those around it included, secrets blanked. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The field `error` as it was given, for reporters that send it elsewhere. May hold secrets. */
  readonly error: unknown;
}

/** Where events go. What it throws is told once on the standard error, and reaches neither the caller nor another reporter. */
export interface Reporter {
  readonly report: (entry: Entry) => Promise<void> | void;
  /** Writes what it still holds. Called by `Log.flush` and, for its synchronous part only, when the process exits. */
  readonly flush?: () => Promise<void> | void;
}

/** Writes events of one source. */
export interface Logger {
  /** The program cannot run correctly. */
  readonly error: (message: string, fields?: Fields) => void;
  /** Something is suspicious. */
  readonly warning: (message: string, fields?: Fields) => void;
  /** What is going on. */
  readonly info: (message: string, fields?: Fields) => void;
  /** What programmers want to know. */
  readonly debug: (message: string, fields?: Fields) => void;
}
