import type { Frame } from "../core/stack.ts";
import { failureText, frameText } from "./failure.ts";

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
