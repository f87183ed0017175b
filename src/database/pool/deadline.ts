import { Time, TimeInternals, withDeadline } from "../../time/index.ts";
import type { Connection } from "../contract.ts";
import { errors } from "../errors.ts";
import type { OperationOptions } from "../operations.ts";

// Interval in which a deadline timer reads the clock. If it is late by more than that, the process or its machine stood still.
const stepMs = 1000;

// Maximum number of standstills that do not count for one timer.
const maxStandstills = 5;

interface DeadlineTimerOptions extends Time.TimerOptions {
  /** Called after a standstill, with the number of milliseconds that do not count. */
  readonly onStandstill?: (uncountedMs: number) => void;
  /** Default: the current clock, which may be fake. */
  readonly clock?: Pick<Time.Clock, "monotonic" | "after">;
}

const currentClock = { monotonic: Time.monotonic, after: TimeInternals.after };

/**
 * Calls back once after `ms` milliseconds. A standstill of the process or its machine does not count, because the process
 * reads replies that have arrived meanwhile only after its timers. At most five standstills do not count, so that the wait
 * ends even if the process is always late. Returns a function that cancels the timer.
 */
export function startDeadlineTimer(
  ms: number,
  callback: () => void,
  { onStandstill, clock = currentClock, ...timerOptions }: DeadlineTimerOptions = {},
): () => void {
  let cancel: () => void;
  let standstills = 0;
  const wait = (remainingMs: number): void => {
    const delayMs = Math.min(remainingMs, stepMs);
    const startMs = clock.monotonic();
    cancel = clock.after(
      delayMs,
      () => {
        const passedMs = Math.max(delayMs, clock.monotonic() - startMs);
        if (passedMs - delayMs > stepMs && standstills < maxStandstills) {
          standstills += 1;
          onStandstill?.(passedMs);
          wait(remainingMs);
        } else if (passedMs < remainingMs) wait(remainingMs - passedMs);
        else callback();
      },
      timerOptions,
    );
  };
  wait(Math.max(0, ms));
  return () => cancel();
}

/**
 * Runs a step of opening a connection. Destroys the socket if the step fails, or takes longer than `timeoutMs`: in real time
 * even under a fake clock, because the server does not follow that.
 */
export async function withConnectTimeout<T>(
  timeoutMs: number,
  findSocket: () => { destroy(error?: Error): unknown },
  step: () => Promise<T>,
): Promise<T> {
  const destroy = (): void => void findSocket().destroy(new Error(`no answer within ${timeoutMs} ms`));
  const cancelTimer = startDeadlineTimer(timeoutMs, destroy, { clock: TimeInternals.systemClock });
  try {
    return await step();
  } catch (error) {
    findSocket().destroy();
    throw error;
  } finally {
    cancelTimer();
  }
}

/** Connection that knows how long the server takes for a reply. */
interface WatchedConnection extends Pick<Connection, "state"> {
  /** Returns true if a reply is pending for longer than `timeoutMs`. */
  isOverdue(timeoutMs: number): boolean;
  /** Closes the connection and rejects its pending statements with `reason`. */
  abandon(reason: Error): void;
}

/**
 * Abandons connections whose server takes longer than `timeoutMs` for a reply; 0 disables the limit. One timer for all
 * connections, because a timer per statement would cost more than the statement. Returns a function that stops it.
 */
export function abandonOverdue(connections: Set<WatchedConnection>, timeoutMs: number): () => void {
  if (timeoutMs === 0) return () => {};
  const check = (): void => {
    for (const connection of connections) {
      if (connection.isOverdue(timeoutMs)) connection.abandon(errors.E_DATABASE_TIMEOUT(timeoutMs));
      if (connection.state === "closed") connections.delete(connection);
    }
  };
  const timer = setInterval(check, Math.min(1000, timeoutMs)).unref();
  return () => clearInterval(timer);
}

/**
 * Waits for an operation until it settles, the signal is aborted or the timeout expires. In the last two cases it calls
 * `cancel` and ignores the outcome of the operation.
 *
 * @throws E_DATABASE_TIMEOUT, or the signal's reason.
 */
export function withOperationDeadline<T>(
  pending: Promise<T>,
  { signal, timeoutMs }: OperationOptions,
  cancel: () => void,
): Promise<T> {
  const timeoutError = (): Error => errors.E_DATABASE_TIMEOUT(timeoutMs ?? 0);
  return withDeadline(pending, { signal, timeoutMs, timeoutError, onGiveUp: cancel, startTimer: startDeadlineTimer });
}

/** Returns the options with the part of the timeout that remains since `startedMs`, on the clock of `Time.monotonic`. */
export function withRemainingTimeout<O extends OperationOptions>(options: O, startedMs: number): O {
  if (options.timeoutMs === undefined) return options;
  return { ...options, timeoutMs: Math.max(0, options.timeoutMs - (Time.monotonic() - startedMs)) };
}
