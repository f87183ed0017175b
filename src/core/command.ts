import type { Service } from "./service.ts";

/** Return value of a command that succeeded. The specification's `Some ()`. */
export const done: Done = Object.freeze({ done: true });

/** Type of `Command.done`. */
export interface Done {
  readonly done: true;
}

/** Output streams of a command. */
export interface Output {
  /** Prints a line of results, which a script can read, to the standard output. */
  readonly print: (line?: string) => void;
  /** Prints a line of progress, hints or warnings to the standard error. */
  readonly note: (line: string) => void;
  /** True if the standard output is a terminal and `NO_COLOR` is not set. */
  readonly isTerminal: boolean;
}

/** Second argument of a command's `run`. */
export interface CommandContext {
  /** All services of the application: the registered ones and their dependencies. */
  readonly services: readonly Service[];
  readonly output: Output;
  /** Aborted when the process receives a signal to end. */
  readonly signal: AbortSignal;
}

/** A command of the command line, such as `migrate` or `todo.add`. */
export interface Command {
  /** Name that the user types, in dot style: `todo.add`. */
  readonly name: string;
  /** Arguments, as the help shows them: `"<title> [--done]"`. Empty for a command without arguments. */
  readonly usage: string;
  /** One sentence. */
  readonly description: string;
  /** More lines, which only the command's own help shows. A function loads a long text on demand. */
  readonly details?: string | (() => Promise<string>);
  /**
   * Returns the services to start, with their dependencies, before the command runs with these arguments. They come from
   * the application's services or from the command itself.
   */
  readonly dependencies: (args: readonly string[], services: readonly Service[]) => readonly Service[];
  /**
   * True if the command runs until a signal ends the process, as `server` does. Then an uncaught error (a rejection that
   * nothing awaits, a throw in a timer) is logged and does not end the process, and an end by a signal is a success.
   */
  readonly isLongRunning: boolean;
  /**
   * Runs the command. Returns `Command.done`, or `undefined` for wrong arguments: then the usage is shown, and the exit
   * code is 2. A throw is reported, and the exit code is 1.
   */
  readonly run: (args: readonly string[], context: CommandContext) => Promise<Done | undefined> | Done | undefined;
}

/** Argument of `Command.make`. `Command` documents the properties. */
export type CommandDefinition = Pick<Command, "name" | "description" | "run"> &
  Partial<Pick<Command, "usage" | "details" | "dependencies" | "isLongRunning">>;

/**
 * Creates a command.
 *
 * @example
 * export const add = Command.make({
 *   name: "todo.add",
 *   usage: "<title>",
 *   description: "Adds a to-do",
 *   dependencies: () => [database],
 *   run: async ([title]) => {
 *     if (title === undefined) return;
 *     await Todo.insert({ title, done: false });
 *     return Command.done;
 *   },
 * });
 */
export function make(definition: CommandDefinition): Command {
  return Object.freeze({ usage: "", dependencies: () => [], isLongRunning: false, ...definition });
}
