import { Command, type Service } from "../core/index.ts";
import { errors } from "./errors.ts";

/** A service that answers requests. */
export type Server = Service.Service & Required<Pick<Service.Service, "fetch">>;

const isServer = (service: Service.Service): service is Server => service.fetch !== undefined;

/**
 * The one service that answers requests.
 *
 * @throws E_APP_NO_SERVER when there is none, E_APP_SEVERAL_SERVERS when there are several.
 */
export function serverOf(services: readonly Service.Service[]): Server {
  const [server, ...others] = services.filter(isServer);
  if (server === undefined) throw errors.E_APP_NO_SERVER();
  if (others.length > 0) throw errors.E_APP_SEVERAL_SERVERS([server, ...others].map(({ name }) => name));
  return server;
}

/** The command `server`: starts all services and waits until the process is told to end. */
export function serverCommand(services: readonly Service.Service[]): Command.Command {
  return Command.make({
    name: "server",
    description: "Starts all services and answers requests until it is told to end",
    isLongRunning: true,
    dependencies: () => {
      serverOf(services);
      return services;
    },
    run: async (args, { signal }) => {
      if (args.length > 0) return undefined;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return Command.done;
    },
  });
}
