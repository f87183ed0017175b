import { isatty } from "node:tty";
import type { Reporter } from "./entry.ts";
import { jsonLine, textLine } from "./line.ts";
import { writeAll, writeBuffer } from "./write-buffer.ts";

/** How `Log.consoleReporter` writes. */
export interface ConsoleOptions {
  /** Lines for people or lines of JSON. By default for people when the standard output is a terminal. */
  readonly format?: "text" | "json";
  /** Whether lines for people are coloured. By default at a terminal, unless `NO_COLOR` is set. */
  readonly colors?: boolean;
  /** Writes all to the standard error, for commands whose standard output is read by a program. Default false. */
  readonly onlyStderr?: boolean;
}

/** Makes a reporter that writes errors and warnings to the standard error, all else to the standard output. */
export function consoleReporter(options: ConsoleOptions = {}): Reporter {
  const isTerminal = isatty(1);
  const { format = isTerminal ? "text" : "json", onlyStderr = false } = options;
  const { colors = isTerminal && (process.env["NO_COLOR"] ?? "") === "" } = options;
  const output = writeBuffer("the standard output", (text) => writeAll(1, text));
  const errors = writeBuffer("the standard error", (text) => writeAll(2, text));
  return {
    report(entry) {
      const line = format === "json" ? jsonLine(entry) : textLine(entry, colors);
      const isBad = entry.level === "error" || entry.level === "warning";
      // What led to an error stands before it when both go to one place.
      if (isBad) output.flush();
      if (isBad || onlyStderr) errors.add(line, true);
      else output.add(line, isTerminal);
    },
    flush() {
      output.flush();
      errors.flush();
    },
  };
}
