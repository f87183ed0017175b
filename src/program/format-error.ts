import { channel } from "node:diagnostics_channel";
import { pathToFileURL } from "node:url";
import { inspect, styleText } from "node:util";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { type Command, failureChannelName, isError } from "../core/index.ts";

/** Maximum depth of the chain of causes. Bounds circular chains. */
const maxCauseDepth = 8;

/** Channel of the errors that end a command. The development server subscribes, to show them with their source. */
const failureChannel = channel(failureChannelName);

/**
 * Prints a thrown value to the standard error. Includes the stack in development and with `LOG_LEVEL=debug`. Under the
 * development server, publishes it instead.
 */
export function printError(thrown: unknown, output: Command.Output): void {
  if (failureChannel.hasSubscribers) return failureChannel.publish(thrown);
  output.note(formatError(thrown, { withStack: isVerbose() }));
}

/**
 * Formats a thrown value for people: message and code, then the causes, each indented further.
 *
 * `withStack` appends the stack of the root cause. Of an error of the framework, whose message explains what to do, it
 * appends the lines of the project, without the call that runs the application.
 * Accepts every value, including values that are not errors.
 */
function formatError(thrown: unknown, options: { readonly withStack: boolean }): string {
  if (thrown instanceof SuppressedError) {
    return [formatError(thrown.suppressed, options), formatError(thrown.error, options)].join("\n\n");
  }
  const title = styleText(["bold", "red"], `Error${formatCode(thrown)}:`, { validateStream: false });
  const lines = [`${title} ${describeThrown(thrown)}`, ...causeLines(thrown, 1)];
  const stack = options.withStack ? stackOf(rootError(thrown, 1)) : "";
  if (stack !== "") lines.push("", styleText("dim", stack, { validateStream: false }));
  return lines.join("\n");
}

function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a value that is not an Error was thrown: ${inspect(thrown, { depth: 2 })}`;
  const name = isError(thrown) || thrown.name === "Error" ? "" : `${thrown.name}: `;
  return `${name}${thrown.message || "(no message)"}`;
}

/** Returns the code of an error, or an empty string if it has none. */
function readCode(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Formats the code as Node does: ` [E_X]`. */
const formatCode = (thrown: unknown): string => (readCode(thrown) === "" ? "" : ` [${readCode(thrown)}]`);

function causeLines(thrown: unknown, depth: number): string[] {
  if (depth > maxCauseDepth) return [];
  return causesOf(thrown).flatMap((cause) => {
    const { message: outerMessage } = thrown as Error;
    const isInMessage = cause instanceof Error && outerMessage.includes(cause.message);
    if (isInMessage && outerMessage.includes(readCode(cause))) return causeLines(cause, depth);
    const indent = "  ".repeat(depth);
    const message = isInMessage ? "" : `: ${describeThrown(cause).replaceAll("\n", `\n${indent}  `)}`;
    return [`${indent}because${formatCode(cause)}${message}`, ...causeLines(cause, depth + 1)];
  });
}

/** Returns the root cause, or the error of the framework that explains it: not `E_SERVICE_…`, which only names a service. */
function rootError(thrown: unknown, depth: number): unknown {
  const [cause] = isError(thrown) && !thrown.code.startsWith("E_SERVICE_") ? [] : causesOf(thrown);
  return cause !== undefined && depth <= maxCauseDepth ? rootError(cause, depth + 1) : thrown;
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  const projectUrl = pathToFileURL(`${ConfigurationInternals.root()}/`).href;
  const isOfProject = (line: string): boolean =>
    line.includes(projectUrl) && !line.includes("/node_modules/") && !line.includes(`${process.argv[1]}:`);
  const lines = (thrown.stack ?? "").split("\n");
  return (isError(thrown) ? lines.filter(isOfProject) : lines).join("\n");
}

function causesOf(thrown: unknown): unknown[] {
  if (!(thrown instanceof Error)) return [];
  const candidates: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  return candidates.filter((cause) => cause !== undefined && cause !== null);
}

function isVerbose(): boolean {
  try {
    ConfigurationInternals.root();
    return Configuration.environment() === "development" || Configuration.readString("LOG_LEVEL") === "debug";
  } catch {
    return false; // The configuration is invalid, which may be the reported error itself.
  }
}

/**
 * Returns the message of an error thrown by Node's `parseArgs`; `undefined` for every other error.
 *
 * Removes the advice to put the option after `--`: it does not help with a mistyped option.
 */
export function argumentErrorMessage(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && "code" in thrown)) return undefined;
  if (!String(thrown.code).startsWith("ERR_PARSE_ARGS_")) return undefined;
  return thrown.message.replace(/ To specify a positional argument .*$/s, "");
}
