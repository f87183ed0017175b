import { constants } from "node:os";
import type { Lifecycle } from "../core/index.ts";
import { TimeInternals } from "../time/index.ts";
import { errors } from "./errors.ts";
import { type Host, printError, shutdownTimeoutMs, type Signal } from "../program/index.ts";

/** Shutdown of one run: signals, the deadline, and the step that the run waits for. */
export interface Shutdown extends Required<Pick<Lifecycle.StartOptions, "signal" | "onStateChange">> {
  /** Aborted on the first signal, or by `abort`. */
  readonly signal: AbortSignal;
  /** Returns the received signal, or `undefined`. */
  readonly receivedSignal: () => Signal | undefined;
  /** Starts the deadline, unless it runs already. */
  readonly startDeadline: () => void;
  /** Starts the deadline and aborts `signal` for another reason than a signal. */
  readonly abort: (reason: unknown) => void;
  /** Sets the step that the run waits for, reported when the deadline passes. */
  readonly setPendingStep: (step: string) => void;
  /** Sets the pending step to the service that starts or stops. */
  readonly onStateChange: NonNullable<Lifecycle.StartOptions["onStateChange"]>;
  /** Clears the deadline and removes the signal listeners. */
  readonly dispose: () => void;
}

/** Returns the exit code of a process that a signal ended: 128 plus the signal number, the convention of shells. */
export const exitCodeOf = (signal: Signal): number => 128 + constants.signals[signal];

/**
 * Watches for signals and enforces the shutdown deadline.
 *
 * The first signal aborts `signal` and starts the deadline. The second signal exits immediately. When the deadline
 * passes, the process prints the pending step and exits with code 1.
 */
export function watchShutdown(host: Host): Shutdown {
  const controller = new AbortController();
  let pendingStep = "the start";
  let received: Signal | undefined;
  let timer: NodeJS.Timeout | undefined;

  const startDeadline = (): void => {
    const timeoutMs = shutdownTimeoutMs();
    timer ??= setTimeout(() => {
      if (received === undefined && controller.signal.aborted) printError(controller.signal.reason, host.output);
      host.output.note(`Gave up after ${TimeInternals.formatDuration(timeoutMs)}: still waiting for ${pendingStep}.`);
      host.exit(1);
    }, timeoutMs);
  };
  const abort = (reason: unknown): void => {
    startDeadline();
    controller.abort(reason);
  };
  const stopListening = host.onSignal((signal) => {
    if (received !== undefined) return host.exit(exitCodeOf(signal));
    received = signal;
    if (host.worker === undefined) host.output.note(`${signal}: shutting down. Send it again to exit immediately.`);
    abort(errors.E_INTERRUPTED(signal));
  });

  return {
    signal: controller.signal,
    receivedSignal: () => received,
    startDeadline,
    abort,
    setPendingStep: (step) => (pendingStep = step),
    onStateChange: (service, state) => {
      if (state !== "running" && state !== "stopped") pendingStep = `the service "${service.name}", which is ${state}`;
    },
    dispose: () => {
      clearTimeout(timer);
      stopListening();
    },
  };
}
