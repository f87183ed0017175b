import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Reporter } from "./entry.ts";
import { formatJson } from "./entry-format.ts";
import { type WriteBuffer, writeBuffer } from "./write-buffer.ts";

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
