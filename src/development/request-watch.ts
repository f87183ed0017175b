import type { ServerResponse } from "node:http";
import type { Frame } from "../core/stack.ts";
import { TimeInternals } from "../time/index.ts";
import type { ApplicationProcess } from "./application-process.ts";

const checkIntervalMs = 1000;

/** Options of `watchRequests`. */
export interface RequestWatchOptions {
  readonly application: ApplicationProcess;
  /** Time without a reaction of the process after which it is blocked, in milliseconds. */
  readonly blockedMs: number;
  /** Receives the lines that run, and the description of a request that waits. Called once while the process is blocked. */
  readonly onBlocked: (frames: readonly Frame[], request: string) => void;
  /** Called when the process that was reported reacts again or has exited. */
  readonly onReaction: () => void;
}

/**
 * Returns a function that watches the process until a response has its headers or is closed.
 *
 * The process is asked for a reaction once a second while requests wait. A process that waits for something reacts.
 */
export function watchRequests(options: RequestWatchOptions): (response: ServerResponse, description: string) => void {
  const { application, blockedMs, onBlocked, onReaction } = options;
  const requests = new Map<ServerResponse, string>();
  let isWatching = false;

  /** Returns the newest request that waits: an older one may wait for something else. */
  const waitingRequest = (): string | undefined => {
    for (const response of requests.keys()) {
      if (response.headersSent || response.closed) requests.delete(response);
    }
    return [...requests.values()].at(-1);
  };

  const watch = async (): Promise<void> => {
    isWatching = true;
    for (;;) {
      await new Promise<void>((resolve) => TimeInternals.after(checkIntervalMs, resolve, { keepAlive: false }));
      const request = waitingRequest();
      if (request === undefined) break;
      const frames = await application.runningFrames(blockedMs);
      if (frames.length === 0) continue;
      onBlocked(frames, request);
      await application.reaction();
      onReaction();
    }
    isWatching = false;
  };

  return (response, description) => {
    requests.set(response, description);
    if (!isWatching) void watch();
  };
}
