import type { Frame } from "../../core/stack.ts";
import { failureText, frameText } from "./failure.ts";

const maxCalls = 5;

/** Describes a version that has not started in time: the line that runs, or that it waits. */
export function slowStartText(frames: readonly Frame[], elapsedMs: number, root: string): string {
  const message = `The application has not started for ${Math.round(elapsedMs / 1000)} s.`;
  const [location, ...callers] = frames;
  if (location === undefined) {
    const hint = "It waits for something, such as a database or another server. Check that they answer.";
    return failureText({ message, locations: [], hint }, root);
  }
  const hint =
    "This line, or one that calls it, still runs. Does its loop end? Each change starts the application again.";
  const calls = callers.slice(0, maxCalls).map((frame) => frameText(frame, root));
  return failureText({ message, locations: [location], hint, calls }, root);
}
