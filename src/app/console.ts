import { parseArgs } from "node:util";
import { Command, type Service } from "../core/index.ts";
import type { Application } from "./contract.ts";

/**
 * Creates the command `console`, which starts all services but the server and evaluates JavaScript. Each service is a
 * variable in camel case (`passwordReset` for `password-reset`), `app` is the application, `services` has all by name.
 */
export function consoleCommand(app: Application, servicesToStart: readonly Service.Service[]): Command.Command {
  return Command.make({
    name: "console",
    usage: "[--eval <code>]",
    description: "Starts all services but the server, and evaluates JavaScript that uses them",
    isLongRunning: true,
    dependencies: (args) => {
      parseCode(args); // Wrong arguments start no service.
      return servicesToStart;
    },
    // Dynamic import: node:repl and node:vm would slow down the start of every other command.
    run: async (args, context) => (await import("./run-console.ts")).runConsole(app, parseCode(args), context),
  });
}

/** Returns the code in the arguments, or `undefined` without the option. */
const parseCode = (args: readonly string[]): string | undefined =>
  parseArgs({ args: [...args], options: { eval: { type: "string" } } }).values.eval;
