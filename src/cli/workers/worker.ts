/** What a process knows that `server --workers` started. */
export interface Worker {
  /** Counted from 1 in the order in which they were started; no number comes twice. */
  readonly number: number;
  /** Tells the process that started this one that it answers. */
  readonly ready: () => void;
  /** Calls the listener when this process is told to end. Gives the function that takes it away. */
  readonly onEnd: (listener: () => void) => () => void;
}

/** The environment variable that gives a worker its number. */
export const variable = "LIMMAT_WORKER";

/** What a worker says when it answers. */
export const readyMessage = "limmat:ready";

/** What a worker is told when it is to finish what it has begun and to end. */
export const endMessage = "limmat:end";

let number: number | undefined;

/** What this process is as a worker, or `undefined` when it is none. */
export function thisWorker(): Worker | undefined {
  number ??= takeNumber();
  if (number === undefined) return undefined;
  return {
    number,
    ready: () => void process.send?.(readyMessage),
    onEnd: (listener) => {
      const onMessage = (message: unknown): void => {
        if (message === endMessage) listener();
      };
      process.on("message", onMessage);
      return () => process.off("message", onMessage);
    },
  };
}

/** Processes that a worker starts are none, and would inherit the variable. */
function takeNumber(): number | undefined {
  const given = process.env[variable];
  delete process.env[variable];
  return given === undefined || !process.connected ? undefined : Number(given);
}
