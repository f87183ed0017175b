import type { Service } from "./service.ts";

/** What a command returns when its arguments were right and its work is done. The specification's `Some ()`. */
export const done: Done = Object.freeze({ done: true });

/** The type of `Command.done`. */
export interface Done {
  readonly done: true;
}

/** Where a command prints. */
export interface Output {
  /** Prints a line to the standard output: results that a script may read. */
  readonly print: (line?: string) => void;
  /** Prints a line to the standard error: progress, hints, warnings. */
  readonly note: (line: string) => void;
  /** Whether a person looks on: the standard output is a terminal, and `NO_COLOR` is not set. */
  readonly isTerminal: boolean;
}

/** What a command is given beside its arguments. */
export interface CommandContext {
  /** All services of the application: those registered, and those that they depend on. */
  readonly services: readonly Service[];
  readonly output: Output;
  /** Aborted when the process is told to end. */
  readonly signal: AbortSignal;
}

/** Something that can be done from the command line, such as `migrate` or `todo.add`. */
export interface Command {
  /** What is typed, in the dot style: `todo.add`. */
  readonly name: string;
  /** The arguments, as the help shows them: `"<title> [--done]"`. Empty when there are none. */
  readonly usage: string;
  /** One sentence. */
  readonly description: string;
  /** What else there is to know, in lines that only its own help shows. */
  readonly details?: string;
  /**
   * The services that are started before the command runs with these arguments, with all that they depend on; chosen
   * among all services of the application, or known to the command.
   */
  readonly dependencies: (args: readonly string[], services: readonly Service[]) => readonly Service[];
  /**
   * Whether it runs until the process is told to end, as `server` does. Then a fault outside of its promise (a rejection
   * that nobody awaits, a throw in a timer) is logged and does not end it, and being told to end is a success.
   */
  readonly isLongRunning: boolean;
  /**
   * Does the work. Gives `Command.done`, or `undefined` when the arguments were wrong: then the usage is shown, exit
   * code 2. A throw is reported, exit code 1.
   */
  readonly run: (args: readonly string[], context: CommandContext) => Promise<Done | undefined> | Done | undefined;
}

/** What `Command.make` is given; see `Command` for each property. */
export interface CommandDefinition {
  readonly name: string;
  readonly usage?: string;
  readonly description: string;
  readonly details?: string;
  readonly dependencies?: Command["dependencies"];
  readonly isLongRunning?: boolean;
  readonly run: Command["run"];
}

/**
 * Makes a command.
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
