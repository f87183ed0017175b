import { Log } from "../log/index.ts";
import { Time } from "../time/index.ts";
import type { Answer, Prepared } from "./contract.ts";
import { countRepeats } from "./repeats.ts";

const log = Log.source("limmat.database");

/** From how many milliseconds on a statement is reported as slow. */
const slowAfter = 1000;

/** Reports a statement that was answered: at debug level each, as a warning each that was slow. Never its values. */
export function report(prepared: Prepared, started: number, answer: Answer, at: string | undefined): void {
  const duration = Time.monotonic() - started;
  const isSlow = duration >= slowAfter;
  if (!isSlow && at === undefined) return;
  const fields = {
    duration_ms: Math.round(duration * 1000) / 1000,
    rows: answer.columns.length > 0 ? answer.rows.length : answer.affected,
    ...(at === undefined ? {} : { at }),
  };
  if (isSlow) log.warning(`Slow statement: ${oneLine(prepared.text)}`, fields);
  else log.debug(oneLine(prepared.text), fields);
}

/**
 * The place in the application that asks for a statement, or `undefined` when statements are not logged. Called before
 * anything is waited for, while the place is still known.
 */
export function caller(prepared: Prepared): string | undefined {
  countRepeats(prepared, place);
  return Log.isEnabled("debug") ? place() : undefined;
}

function place(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const { stack = "" } = new Error("caller");
  Error.stackTraceLimit = limit;
  const line = stack.split("\n").find((frame, index) => index > 0 && isApplication(frame));
  return line === undefined ? "unknown" : line.trim().replace(/^at (?:async )?/, "");
}

const here = new URL(".", import.meta.url).href;

function isApplication(frame: string): boolean {
  return !frame.includes(here) && !frame.includes("node:") && !frame.includes("/node_modules/");
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
