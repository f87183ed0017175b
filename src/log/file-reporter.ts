import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Reporter } from "./entry.ts";
import { jsonLine } from "./line.ts";
import { writeBuffer } from "./write-buffer.ts";

/**
 * Makes a reporter that appends lines of JSON to `error.log` (errors) and `app.log` (all else) in a folder, which is
 * made when it is missing.
 *
 * Errors are written before the call returns, other lines within 50 ms. Files are opened anew for each write, so that
 * they can be moved away at any time.
 */
export function fileReporter(folder: string): Reporter {
  const errors = buffer(folder, "error.log");
  const others = buffer(folder, "app.log");
  return {
    report(entry) {
      if (entry.level === "error") errors.add(jsonLine(entry), true);
      else others.add(jsonLine(entry), false);
    },
    flush() {
      others.flush();
      errors.flush();
    },
  };
}

function buffer(folder: string, name: string): ReturnType<typeof writeBuffer> {
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
