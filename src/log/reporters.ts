import { appendFileSync, mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { formatJson, formatText } from "./entry-format.ts";
import type { Reporter } from "./entry.ts";

/** Options of `Log.Reporters.console`. */
export interface ConsoleOptions {
  /** Lines for people or lines of JSON. By default text when the standard output is a terminal. */
  readonly format?: "text" | "json";
  /** True if text lines are coloured. By default at a terminal, unless `NO_COLOR` is set. */
  readonly colors?: boolean;
  /** True if all events go to the standard error: for commands whose standard output a program reads. Default false. */
  readonly onlyStderr?: boolean;
}

/** Creates a reporter that writes errors and warnings to the standard error, other events to the standard output. */
export function consoleReporter(options: ConsoleOptions = {}): Reporter {
  const isTerminal = isatty(1);
  const { format = isTerminal ? "text" : "json", onlyStderr = false } = options;
  const { colors = isTerminal && (process.env["NO_COLOR"] ?? "") === "" } = options;
  const stdout = writeBuffer("the standard output", (text) => writeAll(1, text));
  const stderr = writeBuffer("the standard error", (text) => writeAll(2, text));
  return {
    report(entry) {
      const line = format === "json" ? formatJson(entry) : formatText(entry, colors);
      const isErrorOrWarning = entry.level === "error" || entry.level === "warning";
      // Keeps the order of the events when both streams go to one terminal or file.
      if (isErrorOrWarning) stdout.flush();
      if (isErrorOrWarning || onlyStderr) stderr.add(line, true);
      else stdout.add(line, isTerminal);
    },
    flush() {
      stdout.flush();
      stderr.flush();
    },
  };
}

/**
 * Creates a reporter that appends lines of JSON to `error.log` (errors) and `app.log` (other events) in a folder. It
 * creates a missing folder.
 *
 * Errors are written before the call returns, other lines within 50 ms. Each write opens the file, so that log rotation
 * can move it at any time.
 */
export function fileReporter(folder: string): Reporter {
  const errorLog = fileBuffer(folder, "error.log");
  const appLog = fileBuffer(folder, "app.log");
  return {
    report(entry) {
      if (entry.level === "error") errorLog.add(formatJson(entry), true);
      else appLog.add(formatJson(entry), false);
    },
    flush() {
      appLog.flush();
      errorLog.flush();
    },
  };
}

function fileBuffer(folder: string, name: string): WriteBuffer {
  const path = join(folder, name);
  const append = (text: string): void => appendFileSync(path, text, { mode: 0o640 });
  return writeBuffer(path, (text) => {
    try {
      append(text);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      mkdirSync(folder, { recursive: true, mode: 0o750 });
      append(text);
    }
  });
}

/** Maximum length of the buffered text, in UTF-16 code units. */
const maxBufferLength = 65_536;
const flushDelayMs = 50;

/** Buffer that writes several lines with one system call. */
interface WriteBuffer {
  /** Adds a line. An urgent line flushes the buffer immediately. */
  add(line: string, isUrgent: boolean): void;
  /** Writes the buffered lines. */
  flush(): void;
}

/**
 * Creates a buffer that writes 50 ms after the first line, at 64 KiB, or on `flush`.
 *
 * A failure is never thrown. It is written to the standard error, once until the next successful write.
 */
function writeBuffer(target: string, write: (text: string) => void): WriteBuffer {
  let buffered = "";
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (buffered === "") return;
    const text = buffered;
    buffered = "";
    try {
      write(text);
      hasFailed = false;
    } catch (cause) {
      if (!hasFailed) writeError(`limmat: the log cannot be written to ${target}: ${String(cause)}`);
      hasFailed = true;
    }
  };

  return {
    flush,
    add(line, isUrgent) {
      buffered += line;
      if (isUrgent || buffered.length >= maxBufferLength) flush();
      else timer ??= setTimeout(flush, flushDelayMs).unref();
    },
  };
}

/** Writes a whole text to a file descriptor. Blocks while a pipe is full. */
function writeAll(descriptor: number, text: string): void {
  let remaining = Buffer.from(text);
  while (remaining.length > 0) {
    try {
      remaining = remaining.subarray(writeSync(descriptor, remaining));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Writes a failure of the log itself to the standard error. */
export function writeError(text: string): void {
  try {
    writeAll(2, `${text}\n`);
  } catch {
    // The standard error is closed: there is no other place for the message.
  }
}
