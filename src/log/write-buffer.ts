import { writeSync } from "node:fs";

/** Maximum length of the buffered text, in UTF-16 code units. */
const maxBufferLength = 65_536;
const flushDelayMs = 50;

/** Buffer that writes several lines with one system call. */
export interface WriteBuffer {
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
export function writeBuffer(target: string, write: (text: string) => void): WriteBuffer {
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
export function writeAll(descriptor: number, text: string): void {
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
