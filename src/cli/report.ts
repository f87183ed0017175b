import { inspect, styleText } from "node:util";
import { Configuration } from "../config/index.ts";
import { type Command, isError } from "../core/index.ts";

/** How many causes are followed: enough for every real chain, and an end for one that bites its tail. */
const deepest = 8;

/** Prints the report of what was thrown to the standard error. */
export function note(thrown: unknown, output: Command.Output): void {
  output.note(report(thrown, { withStack: isVerbose() }));
}

/**
 * What went wrong, for people: message and code, then the causes, each indented further.
 *
 * With `withStack` the stack of the error at the root follows, unless one of the framework's errors explains it: these
 * say themselves what to do. Whatever was thrown makes a report, things that are no errors included.
 */
export function report(thrown: unknown, options: { readonly withStack: boolean }): string {
  if (thrown instanceof SuppressedError) {
    return [report(thrown.suppressed, options), report(thrown.error, options)].join("\n\n");
  }
  const title = styleText(["bold", "red"], `Error${codeOf(thrown)}:`, { validateStream: false });
  const lines = [`${title} ${messageOf(thrown)}`, ...causes(thrown, 1)];
  const root = unexplained(thrown, 1);
  if (options.withStack && root?.stack !== undefined) {
    lines.push("", styleText("dim", root.stack, { validateStream: false }));
  }
  return lines.join("\n");
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `something that is no error was thrown: ${inspect(thrown, { depth: 2 })}`;
  const name = isError(thrown) || thrown.name === "Error" ? "" : `${thrown.name}: `;
  return `${name}${thrown.message || "(no message)"}`;
}

/** The code in the way that Node writes it: ` [E_X]`. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? ` [${code}]` : "";
}

function causes(thrown: unknown, depth: number): string[] {
  if (depth > deepest) return [];
  return below(thrown).flatMap((cause) => {
    const isSaid = cause instanceof Error && (thrown as Error).message.includes(cause.message);
    if (isSaid && codeOf(cause) === "") return causes(cause, depth);
    const indent = "  ".repeat(depth);
    const message = isSaid ? "" : `: ${messageOf(cause).replaceAll("\n", `\n${indent}  `)}`;
    return [`${indent}because${codeOf(cause)}${message}`, ...causes(cause, depth + 1)];
  });
}

/** The error at the root, unless one of the framework's says what it means. That a service failed to start says nothing. */
function unexplained(thrown: unknown, depth: number): Error | undefined {
  if (!(thrown instanceof Error) || (isError(thrown) && !thrown.code.startsWith("E_SERVICE_"))) return undefined;
  const [cause] = below(thrown);
  if (cause !== undefined && depth <= deepest) return unexplained(cause, depth + 1);
  return isError(thrown) ? undefined : thrown;
}

function below(thrown: unknown): unknown[] {
  if (!(thrown instanceof Error)) return [];
  const parts: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return parts.filter((cause) => cause !== undefined && cause !== null);
}

function isVerbose(): boolean {
  try {
    return Configuration.environment() === "development" || Configuration.readString("LOG_LEVEL") === "debug";
  } catch {
    return false; // What is reported is, or hides, that the configuration cannot be read.
  }
}
