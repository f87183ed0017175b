import { Configuration, ConfigurationInternals } from "../config/index.ts";

const maxFrames = 30;

/**
 * Adds the lines that called an operation to the stack of its error, if that has no line of the application: V8 knows the
 * callers of a promise only while one awaits it. In development only. Call it before the first `await`.
 */
export function withCaller<T>(result: Promise<T>): Promise<T> {
  if (Configuration.environment() !== "development") return result;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = maxFrames;
  const caller = { stack: "" };
  Error.captureStackTrace(caller, withCaller);
  Error.stackTraceLimit = stackTraceLimit;
  return result.catch(async (error: unknown) => {
    if (error instanceof Error && !(await hasApplicationFrame(error.stack ?? ""))) {
      error.stack += caller.stack.slice(caller.stack.indexOf("\n"));
    }
    throw error;
  });
}

async function hasApplicationFrame(stack: string): Promise<boolean> {
  // Production loads no code that reads stacks (docs/decisions/017).
  const { isApplicationFrame, parseStack } = await import("../core/stack.ts");
  const root = ConfigurationInternals.root();
  return parseStack(stack).some((frame) => isApplicationFrame(frame, root));
}
