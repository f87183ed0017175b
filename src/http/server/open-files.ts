import { readFileSync } from "node:fs";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";

/**
 * Returns the maximum number of files, sockets included, that this process may have open; `undefined` outside of Linux. Node
 * and Bun raise the soft limit of the process to its hard limit when they start.
 */
export function openFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Advice of warnings about open files. */
export const openFileAdvice = "Raise the limit: ulimit -n of a shell, LimitNOFILE of systemd, ulimits of a container.";

const log = Log.source("limmat.http");
const intervalMs = Time.minutes(1);

/**
 * Warns when most of the descriptors of the process are used. Without one, the system closes new connections without an event,
 * and files cannot be opened (EMFILE).
 *
 * Systems assign the lowest free descriptor (POSIX `open`), so that the descriptor of a new connection tells how many are used.
 */
export class OpenFileGuard {
  readonly #limit: number;
  readonly #threshold: number;
  #lastWarningMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number = openFileLimit() ?? Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#threshold = Math.floor(limit * 0.9);
  }

  /** Checks the descriptor of a new connection, `undefined` if it is unknown. Logs at most one warning per minute. */
  check(descriptor: number | undefined): void {
    if (descriptor === undefined || descriptor < this.#threshold) return;
    const nowMs = Time.monotonic();
    if (nowMs - this.#lastWarningMs < intervalMs) return;
    this.#lastWarningMs = nowMs;
    log.warning("File descriptors run out: soon new connections are closed, and files cannot be opened", {
      open: descriptor + 1,
      limit: this.#limit,
      advice: openFileAdvice,
    });
  }
}
