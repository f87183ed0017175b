import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, stripVTControlCharacters } from "node:util";
import { declarationsOf } from "../core/index.ts";
import { type Frame, isApplicationFrame, parseStack, sourceExcerpt } from "../core/stack.ts";
import { explainImport, type LoadError } from "./explain-import.ts";
import { type Failure, frameText, type SourceLocation } from "./failure.ts";
import { readSource, sourceFiles } from "./source-text.ts";
import { stripTypes } from "./strip-types.ts";

export { failureText, styleFailure } from "./failure.ts";

const maxCauses = 5;
const maxCalls = 6;

/**
 * Describes an error that ended the start of an application: what is wrong, the lines of the application that it is about,
 * and a remedy. Never throws.
 *
 * @param loadedFiles files that were loaded before the error, the latest first. Default: all sources of the project
 */
export async function describeFailure(
  thrown: unknown,
  root: string,
  loadedFiles?: readonly string[],
): Promise<Failure> {
  const error = withoutStartError(thrown);
  try {
    if (error instanceof Error) {
      const stackHead = parseStackHead(error.stack ?? "");
      return (
        (await explainImport(error, root, stackHead)) ??
        explainSyntax(error, stackHead ?? findSyntaxError(error, loadedFiles ?? sourceFiles(root))) ??
        describeThrown(error, root)
      );
    }
  } catch {
    // A property of the error throws, or a file changed meanwhile: the message alone is better than nothing.
  }
  return { message: messageOfThrown(error), locations: [], hint: error instanceof Error ? undefined : textThrownHint };
}

const textThrownHint = "Throw an Error: throw new Error(…). Only an error contains the line that throws it.";

/** Returns the cause of `E_SERVICE_START`, which only states that a service failed to start; otherwise the error itself. */
function withoutStartError(thrown: unknown): unknown {
  if (thrown instanceof SuppressedError) return withoutStartError(thrown.suppressed);
  const isStartError = thrown instanceof Error && errorCode(thrown) === "E_SERVICE_START" && thrown.cause !== undefined;
  return isStartError ? withoutStartError(thrown.cause) : thrown;
}

/**
 * Parses the first lines of a stack. For errors of a source file, Node writes the position there, the line of source and
 * a mark below the column.
 */
function parseStackHead(stack: string): SourceLocation | undefined {
  const [head = "", ...lines] = stack.split("\n");
  const [, path = "", line] = /^(file:\/\/\S+|\/.+|[A-Za-z]:\\.+):(\d+)$/.exec(head) ?? [];
  if (line === undefined) return undefined;
  const file = path.startsWith("file:") ? fileURLToPath(path) : path;
  const mark = lines.slice(0, 6).find((text) => /^\s*\^+\s*$/.test(text));
  // Without a mark, the error is about several lines: it begins with the first text of the line.
  const source = mark ?? readSource(file).split("\n")[Number(line) - 1] ?? "";
  return { file, line: Number(line), column: source.search(mark === undefined ? /\S/ : /\^/) + 1 };
}

const maxCheckedFiles = 30;

/**
 * Finds the position of a syntax error that type stripping does not see, such as a variable that is declared twice. Node
 * writes it to the terminal only, so that another process has to check the files.
 */
function findSyntaxError(error: Error, files: readonly string[]): SourceLocation | undefined {
  if (!(error instanceof SyntaxError) || !/^ +at compileSourceTextModule /m.test(error.stack ?? "")) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "limmat-check-"));
  try {
    for (const file of files.filter((path) => /\.[cm]?[jt]s$/.test(path)).slice(0, maxCheckedFiles)) {
      // `--check` does not compile TypeScript modules. Stripping keeps the positions.
      const copy = join(folder, "module.mjs");
      writeFileSync(copy, file.endsWith("ts") ? stripTypes(readSource(file)) : readSource(file));
      const { stderr } = spawnSync(process.execPath, ["--check", copy], { encoding: "utf8" });
      const head = parseStackHead(stripVTControlCharacters(stderr));
      if (head !== undefined && stderr.includes(error.message)) return { ...head, file };
    }
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Syntax that type stripping cannot erase, by Node's message, and what to write in its place. */
const erasableForms: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/\benum\b/, 'Use a union of texts: type State = "open" | "done";'],
  [/parameter propert/, "Declare the property in the class, and assign it in the constructor."],
  [/namespace|module/, "Use a file with exports instead of the namespace."],
  [/import equals|import =|\bimport\b.*=|export assignment|export =/, "Use import … from and export."],
  [/type assertion|angle-bracket/, "Write value as Type instead of <Type>value."],
];

function explainSyntax(error: LoadError, location: SourceLocation | undefined): Failure | undefined {
  const isUnsupported = error.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
  if (location === undefined || !(error instanceof SyntaxError || isUnsupported)) return undefined;
  // Without the list of the many tokens that could stand there.
  const summary = (error.message.split("\n", 1)[0] ?? "").replace(/(?<=\.) Expected .{100,}$/, "");
  const isDecorator = readSource(location.file).split("\n")[location.line - 1]?.[(location.column ?? 0) - 1] === "@";
  const hint = isDecorator
    ? "Node cannot run decorators. Call a function in their place."
    : isUnsupported
      ? erasableForms.find(([pattern]) => pattern.test(summary))?.[1]
      : undefined;
  const message = isUnsupported
    ? `Node removes types and cannot translate other TypeScript syntax: ${withPeriod(summary)}`
    : `SyntaxError: ${withPeriod(summary)}`;
  return { message, locations: [location], hint };
}

const withPeriod = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** Describes an error that code has thrown: the lines of its declarations, or its first line in the application. */
function describeThrown(error: Error, root: string): Failure {
  const isOfApplication = (frame: Frame): boolean => isApplicationFrame(frame, root) && !isRunCall(frame);
  const declared = declarationsOf(error).flatMap(
    (declaration) => parseStack(declaration.stack ?? "").find(isOfApplication) ?? [],
  );
  const causes = causesOf(error);
  const frames = [error, ...causes].map((thrown) => parseStack(thrown instanceof Error ? (thrown.stack ?? "") : ""));
  const ownFrames = frames.findLast((stack) => stack.some(isOfApplication))?.filter(isOfApplication) ?? [];
  const locations = distinct(declared.length > 0 ? declared : ownFrames.slice(0, 1));
  const calls = declared.length > 0 ? [] : ownFrames.slice(1, maxCalls);
  const foreignFrames = ownFrames.length > 0 || isOfFramework(error) ? [] : (frames[0] ?? []).slice(0, maxCalls);
  const reasons = causes
    .filter((cause) => !(cause instanceof Error && cause.message !== "" && error.message.includes(cause.message)))
    .map(messageOfThrown)
    .filter((reason, index, all) => all.indexOf(reason) === index)
    .map((reason) => `Because of ${reason}`);
  return {
    message: [messageOfThrown(error), ...reasons].join("\n"),
    locations: locations.map(({ file, line, column }) => ({ file, line, column })),
    hint: thrownHint(error, declared.length > 1 && locations.length === 1),
    calls: [...calls, ...foreignFrames].map((frame) => frameText(frame, root)),
  };
}

/** Returns true for the call that runs the application: it is in the stack of every error of a start. */
const isRunCall = (frame: Frame): boolean => /\bawait \w+\.run\(/.test(sourceExcerpt(frame, 0)[0]?.text ?? "");

function thrownHint(error: Error, isOneLine: boolean): string | undefined {
  if (isOneLine) return "Both come from this line, which runs twice or whose value is listed twice.";
  if (error instanceof ReferenceError && error.message.endsWith(" before initialization")) {
    return "Files that import each other are loaded one after the other. Read the value inside a function, or move it to a third file.";
  }
  return undefined;
}

function distinct(frames: readonly Frame[]): readonly Frame[] {
  const byPosition = new Map(frames.map((frame) => [`${frame.file}:${frame.line}:${frame.column}`, frame]));
  return [...byPosition.values()];
}

function causesOf(error: Error): readonly unknown[] {
  const causes: unknown[] = [];
  let current: unknown = error;
  while (current instanceof Error && current.cause !== undefined && causes.length < maxCauses) {
    current = current.cause;
    causes.push(current);
  }
  return causes;
}

const errorCode = (error: Error): unknown => (error as LoadError).code;

const isOfFramework = (error: Error): boolean => error.name === "LimmatError";

/** Returns name, code and message: `TypeError: x is not a function`, `Error [E_ROUTE_TAKEN]: Two routes …`. */
function messageOfThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return `A value that is no error was thrown: ${inspect(thrown, { depth: 2 })}`;
    const code = errorCode(thrown);
    const name = isOfFramework(thrown) ? "Error" : thrown.name;
    return `${name}${typeof code === "string" ? ` [${code}]` : ""}: ${thrown.message || "(no message)"}`;
  } catch {
    return "An error was thrown whose message cannot be read.";
  }
}
