import { isatty } from "node:tty";
import type { Reporter } from "./entry.ts";
import { formatJson, formatText } from "./entry-format.ts";
import { writeAll, writeBuffer } from "./write-buffer.ts";

/** Options of `Log.consoleReporter`. */
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
