import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_COMMAND_NAME_TAKEN: (name: string, first: string, second: string): string =>
    `Two commands are named "${name}": one of ${first}, one of ${second}. Rename one of them.`,
  E_COMMAND_NAME_INVALID: (name: string, owner: string): string =>
    `"${name}" of ${owner} is not a valid command name: use lower-case letters, digits, ".", ":", "-" and "_", and begin with a letter, as in "todo.add".`,
  E_DEPLOY_MISSING: (version: string): string =>
    `The package "limmat-deploy" is not installed. Install it with: npm install --save-dev limmat-deploy@${version}`,
  E_INTERRUPTED: (signal: string): string => `The process was interrupted by ${signal}.`,
};

/** Errors of the command runner. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
