import { stripVTControlCharacters } from "node:util";
import type { App } from "../app/index.ts";
import type { Host, Signal } from "../program/index.ts";
import type { Command } from "../core/index.ts";

/** Captured output of a command, without colours. */
export interface CapturedOutput extends Command.Output {
  /** Lines of the standard output. */
  readonly stdoutLines: readonly string[];
  /** Lines of the standard error. */
  readonly stderrLines: readonly string[];
}

/** Makes an output that captures its lines. */
export function captureOutput(): CapturedOutput {
  const stdoutLines: string[] = [];
  const stderrLines: string[] = [];
  const splitLines = (text: string): string[] => stripVTControlCharacters(text).split("\n");
  return {
    stdoutLines,
    stderrLines,
    print: (line = "") => void stdoutLines.push(...splitLines(line)),
    note: (line) => void stderrLines.push(...splitLines(line)),
    isTerminal: false,
  };
}

/** Host that captures the output, leaves the process alone, and can simulate signals and uncaught errors. */
export interface TestHost extends Host {
  readonly output: CapturedOutput;
  /** Simulates a signal. Default `SIGINT`, as Ctrl-C sends it. */
  readonly interrupt: (signal?: Signal) => void;
  /** Simulates an uncaught error. */
  readonly raiseUncaughtError: (thrown: unknown) => void;
  /** Returns the code with which the process would have exited, after a second signal or the deadline. */
  readonly exitCode: () => number | undefined;
}

/** Makes a host for `app.run(argv, host)`. */
export function makeTestHost(): TestHost {
  const signalListeners = new Set<(signal: Signal) => void>();
  const errorListeners = new Set<(error: unknown) => void>();
  const listen = <T>(listeners: Set<T>, listener: T): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  let firstExitCode: number | undefined;
  return {
    program: "app",
    output: captureOutput(),
    onSignal: (listener) => listen(signalListeners, listener),
    onUncaughtError: (listener) => listen(errorListeners, listener),
    exit: (code) => {
      firstExitCode ??= code;
    },
    finish: () => {},
    interrupt: (signal = "SIGINT") => signalListeners.forEach((listener) => listener(signal)),
    raiseUncaughtError: (thrown) => errorListeners.forEach((listener) => listener(thrown)),
    exitCode: () => firstExitCode,
  };
}

/** Result of a command. */
export interface CommandResult {
  /** Exit code. */
  readonly code: number;
  /** Standard output, lines joined. */
  readonly stdout: string;
  /** Standard error, lines joined. */
  readonly stderr: string;
}

/**
 * Runs a command of an application in this process and captures its output.
 *
 * @example
 * const { code, stdout } = await runCommand(app, "todo.add", "Buy milk");
 */
export async function runCommand(app: App.Application, ...argv: string[]): Promise<CommandResult> {
  const testHost = makeTestHost();
  const code = await app.run(argv, testHost);
  const { stdoutLines, stderrLines } = testHost.output;
  return { code, stdout: stdoutLines.join("\n"), stderr: stderrLines.join("\n") };
}
