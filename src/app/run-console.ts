import { Command, type Service } from "../core/index.ts";
import type { Application } from "./contract.ts";
import { evaluate, startRepl } from "./evaluate.ts";

/** Runs the command `console`: evaluates the code, or what the user types if there is none. */
export async function runConsole(
  app: Application,
  code: string | undefined,
  { services, output, signal }: Command.CommandContext,
): Promise<Command.Done> {
  const variables = createVariables(app, services);
  if (code === undefined) await startRepl(variables, signal);
  else {
    const result = await evaluate(code, variables, { signal, hasColors: output.isTerminal });
    if (result !== undefined) output.print(result);
  }
  return Command.done;
}

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
