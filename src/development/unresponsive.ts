import type { ServerResponse } from "node:http";
import type { Frame } from "../core/stack.ts";
import { TimeInternals } from "../time/index.ts";
import type { ApplicationProcess } from "./application-process.ts";
import { failureText, frameText } from "./failure.ts";

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

const maxCalls = 5;

/** Describes a version that has not started in time: the line that runs, or that it waits. */
export function slowStartText(frames: readonly Frame[], elapsedMs: number, root: string): string {
  const message = `The application has not started for ${elapsedText(elapsedMs)}.`;
  if (frames.length > 0) return computationText(message, frames, root);
  const hint = "It waits for something, such as a database or another server. Check that they answer.";
  return failureText({ message, locations: [], hint }, root);
}

/** Describes a running version that computes and does not react: the line that runs, and a request that waits. */
export function blockedText(frames: readonly Frame[], elapsedMs: number, request: string, root: string): string {
  const message = `The application has not reacted for ${elapsedText(elapsedMs)}, while ${request} waits.`;
  return computationText(message, frames, root);
}

function computationText(message: string, frames: readonly Frame[], root: string): string {
  const hint =
    "This line, or one that calls it, still runs. Does its loop end? Each change starts the application again.";
  const calls = frames.slice(1, 1 + maxCalls).map((frame) => frameText(frame, root));
  return failureText({ message, locations: frames.slice(0, 1), hint, calls }, root);
}

const elapsedText = (elapsedMs: number): string => `${Math.round(elapsedMs / 1000)} s`;
