import { writeSync } from "node:fs";

const most = 65_536;
const delay = 50;

/** Gathers lines and writes them together. */
export interface WriteBuffer {
  /** Adds a line. An urgent one is written at once, with all before it. */
  add(line: string, isUrgent: boolean): void;
  /** Writes what is held. */
  flush(): void;
}

/**
 * Makes a buffer that writes 50 ms after the first line, at 64 KiB, or when told.
 *
 * A failure is told on the standard error, once until a write succeeds again, and never thrown.
 */
export function writeBuffer(target: string, write: (text: string) => void): WriteBuffer {
  let held = "";
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (held === "") return;
    const text = held;
    held = "";
    try {
      write(text);
      hasFailed = false;
    } catch (cause) {
      if (!hasFailed) complain(`limmat: the log cannot be written to ${target}: ${String(cause)}`);
      hasFailed = true;
    }
  };

  return {
    flush,
    add(line, isUrgent) {
      held += line;
      if (isUrgent || held.length >= most) flush();
      else timer ??= setTimeout(flush, delay).unref();
    },
  };
}

/** Writes a text to a file descriptor, all of it, waiting while a pipe is full. */
export function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Tells on the standard error what the log itself cannot tell. */
export function complain(text: string): void {
  try {
    writeAll(2, `${text}\n`);
  } catch {
    // Nobody is left to tell.
  }
}
