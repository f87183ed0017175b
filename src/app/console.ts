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
    run: async (args, { services, output, signal }) => {
      const code = parseCode(args);
      // Dynamic import: node:repl and node:vm would slow down the start of every other command.
      const { evaluate, startRepl } = await import("./evaluate.ts");
      const variables = createVariables(app, services);
      if (code === undefined) await startRepl(variables, signal);
      else {
        const result = await evaluate(code, variables, { signal, hasColors: output.isTerminal });
        if (result !== undefined) output.print(result);
      }
      return Command.done;
    },
  });
}

/** Returns the code in the arguments, or `undefined` without the option. */
const parseCode = (args: readonly string[]): string | undefined =>
  parseArgs({ args: [...args], options: { eval: { type: "string" } } }).values.eval;

function createVariables(app: Application, services: readonly Service.Service[]): Readonly<Record<string, unknown>> {
  const servicesByName = Object.fromEntries(services.map((service) => [service.name, service]));
  const serviceVariables = Object.entries(servicesByName)
    .map(([name, service]) => [toIdentifier(name), service] as const)
    // A service must not shadow a global, such as "process".
    .filter(([name]) => /^[a-z_$][\w$]*$/i.test(name) && !(name in globalThis));
  return { ...Object.fromEntries(serviceVariables), services: servicesByName, app };
}

const toIdentifier = (name: string): string =>
  name.replaceAll(/[^a-z\d]+([a-z\d])/gi, (_, next: string) => next.toUpperCase());
