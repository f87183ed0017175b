import { constants } from "node:os";
import type { Lifecycle } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { errors } from "./errors.ts";
import type { Host, Signal } from "./host.ts";
import { note } from "./report.ts";
import { shutdownTimeout } from "./settings.ts";

/** Watches over the end of one run: signals, the deadline, and what the run waits for. */
export interface Ending {
  /** Aborted when the process is told to end, or when `abort` is called. */
  readonly signal: AbortSignal;
  /** The signal that came, if one did. */
  readonly received: () => Signal | undefined;
  /** Begins the end: from now on the deadline counts. */
  readonly begin: () => void;
  /** Begins the end for another reason than a signal. */
  readonly abort: (reason: unknown) => void;
  /** Says what the run waits for, in case the deadline passes. */
  readonly waitFor: (what: string) => void;
  /** The same, for services that start and stop. */
  readonly onChange: NonNullable<Lifecycle.StartOptions["onChange"]>;
  /** The run is over. */
  readonly dispose: () => void;
}

/** The exit code of a process that a signal ended: 128 and the signal's number, as shells have it. */
export const exitCodeOf = (signal: Signal): number => 128 + constants.signals[signal];

/**
 * Begins to watch. The first signal aborts `signal` and starts the deadline; the second ends the process at once; a
 * deadline that passes ends it with exit code 1 and the name of what it waited for.
 */
export function watchEnding(host: Host): Ending {
  const control = new AbortController();
  let waiting = "the start";
  let received: Signal | undefined;
  let timer: NodeJS.Timeout | undefined;

  const begin = (): void => {
    const limit = shutdownTimeout();
    timer ??= setTimeout(() => {
      if (received === undefined && control.signal.aborted) note(control.signal.reason, host.output);
      host.output.note(`Gave up after ${Time.formatDuration(limit)}: still waiting for ${waiting}.`);
      host.exit(1);
    }, limit);
  };
  const abort = (reason: unknown): void => {
    begin();
    control.abort(reason);
  };
  const stopListening = host.onSignal((signal) => {
    if (received !== undefined) return host.exit(exitCodeOf(signal));
    received = signal;
    if (host.worker === undefined) host.output.note(`${signal}: ending. Once more ends at once.`);
    abort(errors.E_INTERRUPTED(signal));
  });

  return {
    signal: control.signal,
    received: () => received,
    begin,
    abort,
    waitFor: (what) => (waiting = what),
    onChange: (service, state) => {
      if (state !== "running" && state !== "stopped") waiting = `the service "${service.name}", which is ${state}`;
    },
    dispose: () => {
      clearTimeout(timer);
      stopListening();
    },
  };
}
