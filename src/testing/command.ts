import { stripVTControlCharacters } from "node:util";
import type { Application } from "../app/index.ts";
import type { Host, Signal } from "../cli/index.ts";
import type { Command } from "../core/index.ts";

/** What a command printed, without colours. */
export interface CapturedOutput extends Command.Output {
  /** The lines of the standard output. */
  readonly printed: readonly string[];
  /** The lines of the standard error. */
  readonly noted: readonly string[];
}

/** An output that keeps what is printed. */
export function output(): CapturedOutput {
  const printed: string[] = [];
  const noted: string[] = [];
  const lines = (text: string): string[] => stripVTControlCharacters(text).split("\n");
  return {
    printed,
    noted,
    print: (line = "") => void printed.push(...lines(line)),
    note: (line) => void noted.push(...lines(line)),
    isTerminal: false,
  };
}

/** A host that keeps what is printed and touches no process, with the means to play the process. */
export interface TestHost extends Host {
  readonly output: CapturedOutput;
  /** Tells the run to end, as Ctrl-C does. */
  readonly interrupt: (signal?: Signal) => void;
  /** Throws where nothing catches. */
  readonly fault: (thrown: unknown) => void;
  /** The code of a run that ended at once, after a second signal or the deadline. */
  readonly exitCode: () => number | undefined;
}

/** Makes a host for `app.run(argv, host)`. */
export function host(): TestHost {
  const signalListeners = new Set<(signal: Signal) => void>();
  const faultListeners = new Set<(fault: unknown) => void>();
  const listen = <T>(listeners: Set<T>, listener: T): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  let code: number | undefined;
  return {
    program: "app",
    output: output(),
    onSignal: (listener) => listen(signalListeners, listener),
    onFault: (listener) => listen(faultListeners, listener),
    exit: (given) => {
      code ??= given;
    },
    finish: () => {},
    interrupt: (signal = "SIGINT") => signalListeners.forEach((listener) => listener(signal)),
    fault: (thrown) => faultListeners.forEach((listener) => listener(thrown)),
    exitCode: () => code,
  };
}

/** What is left of a command that ran. */
export interface CommandResult {
  readonly code: number;
  /** What it printed to the standard output, lines joined. */
  readonly stdout: string;
  /** What it printed to the standard error, lines joined. */
  readonly stderr: string;
}

/**
 * Runs a command of an application in this process, without touching the process.
 *
 * @example
 * const { code, stdout } = await Testing.run(app, "todo.add", "Buy milk");
 */
export async function run(app: Application, ...argv: string[]): Promise<CommandResult> {
  const testHost = host();
  const code = await app.run(argv, testHost);
  const { printed, noted } = testHost.output;
  return { code, stdout: printed.join("\n"), stderr: noted.join("\n") };
}
