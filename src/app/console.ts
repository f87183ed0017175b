import { parseArgs } from "node:util";
import { Command, type Service } from "../core/index.ts";
import type { App } from "./app.ts";

/**
 * The command `console`: starts all services but the server, and evaluates what is typed. Each service has its own name
 * there (`password-reset` is `passwordReset`), the application is `app`, and `services` holds all services by name.
 */
export function consoleCommand(app: App, started: readonly Service.Service[]): Command.Command {
  return Command.make({
    name: "console",
    usage: "[--eval <code>]",
    description: "Starts all services but the server, and evaluates JavaScript that uses them",
    isLongRunning: true,
    dependencies: () => started,
    run: async (args, { services, output, signal }) => {
      const { eval: code } = parseArgs({ args: [...args], options: { eval: { type: "string" } } }).values;
      // Loaded here, so that all other commands start as fast as without.
      const { converse, evaluate } = await import("./evaluate.ts");
      const names = namesOf(app, services);
      if (code === undefined) await converse(names, signal);
      else {
        const result = await evaluate(code, names, { signal, isColoured: output.isTerminal });
        if (result !== undefined) output.print(result);
      }
      return Command.done;
    },
  });
}

function namesOf(app: App, services: readonly Service.Service[]): Readonly<Record<string, unknown>> {
  const byName = Object.fromEntries(services.map((service) => [service.name, service]));
  const own = Object.entries(byName)
    .map(([name, service]) => [identifier(name), service] as const)
    // A service must not take the place of what every script relies on, such as "process".
    .filter(([name]) => /^[a-z_$][\w$]*$/i.test(name) && !(name in globalThis));
  return { ...Object.fromEntries(own), services: byName, app };
}

const identifier = (name: string): string =>
  name.replaceAll(/[^a-z\d]+([a-z\d])/gi, (_, next: string) => next.toUpperCase());
