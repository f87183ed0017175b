import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_COMMAND_NAME_TAKEN: {
    message: (name: string, first: string, second: string): string =>
      `Two commands have the name "${name}": one of ${first}, one of ${second}. Rename one of them.`,
  },
  E_COMMAND_NAME_INVALID: {
    message: (name: string, owner: string): string =>
      `"${name}" of ${owner} cannot be a command's name: use lower-case letters, digits, ".", ":", "-" and "_", and begin with a letter, as in "todo.add".`,
  },
  E_WORKERS_START: {
    message: (): string => "The first worker could not start: what it reported stands above. No other was started.",
  },
  E_WORKERS_FAILED: {
    message: (times: number): string =>
      `The last worker ended, and ${times} in a row did not start or ended soon after: what they reported stands above.`,
  },
  E_INTERRUPTED: {
    message: (signal: string): string => `The process was told to end by ${signal}.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
