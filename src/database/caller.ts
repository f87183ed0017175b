import { Configuration, ConfigurationInternals } from "../config/index.ts";

const maxFrames = 30;

/**
 * Adds the lines that called an operation to the stack of its error, if that has no line of the application: V8 knows the
 * callers of a promise only while one awaits it. In development only. Call it before the first `await`.
 */
export function withCaller<T>(result: Promise<T>): Promise<T> {
  if (Configuration.environment() !== "development") return result;
  const stack = stackAbove(withCaller);
  return result.catch(async (error: unknown) => {
    if (error instanceof Error && !(await hasApplicationFrame(error.stack ?? ""))) {
      error.stack += stack.slice(stack.indexOf("\n"));
    }
    throw error;
  });
}

/** Returns the stack trace above a function that the caller has called, or that is the caller. */
export function stackAbove(callee: (...values: never[]) => unknown): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = maxFrames;
  const trace = { stack: "" };
  Error.captureStackTrace(trace, callee);
  Error.stackTraceLimit = stackTraceLimit;
  return trace.stack;
}

async function hasApplicationFrame(stack: string): Promise<boolean> {
  // Production loads no code that reads stacks (docs/decisions/017).
  const { isApplicationFrame, parseStack } = await import("../core/stack.ts");
  const root = ConfigurationInternals.root();
  return parseStack(stack).some((frame) => isApplicationFrame(frame, root));
}
