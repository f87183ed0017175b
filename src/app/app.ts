import { type Program, run } from "../cli/index.ts";
import { processHost } from "../program/index.ts";
import { setProjectRoot } from "../config/internal.ts";
import { isServer, type Lifecycle, Service } from "../core/index.ts";
import { LogInternals } from "../log/index.ts";
import { consoleCommand, doctorCommand, findServer, serverCommand } from "./commands.ts";
import type { AppDefinition, Application } from "./contract.ts";
import { errors } from "./errors.ts";
import { startServices } from "./start.ts";

export type { AppDefinition, Application } from "./contract.ts";

/**
 * Creates an application. Nothing starts before `run` or `start`.
 *
 * @example
 * const app = App.create({ services: [clock], commands: [tell] });
 * await app.run();
 */
export function create(definition: AppDefinition): Application {
  const { configuration, commands = [], root } = definition;
  // A service carries the fields of the application: they are checked and listed as those of all services.
  const application = configuration === undefined ? [] : [Service.make({ name: "App.create", configuration })];
  const services = [...definition.services, ...application];
  let running: Promise<Lifecycle.RunningServices> | undefined;

  const applyRoot = (): void => {
    if (root !== undefined) setProjectRoot(root);
  };
  const fetch = (request: globalThis.Request): Promise<globalThis.Response> => findServer(services).fetch(request);

  const app: Application = Object.freeze({
    run: async (argv = process.argv.slice(2), host = processHost()) => {
      applyRoot();
      const { worker } = host;
      if (worker !== undefined) LogInternals.setProcessFields({ worker: worker.number });
      const prepare = (isAnnounced: boolean): Promise<Lifecycle.RunningServices> =>
        startServices(services, definition, { isAnnounced, isCheckOnly: true });
      const server = serverCommand({ services, worker, prepare: () => prepare(true) });
      const program: Program = {
        services,
        builtIn: [server, consoleCommand(app, withoutServer(services)), doctorCommand({ ...definition, services })],
        checkConfiguration: async () => (await prepare(false)).stop(),
        commands,
        start: async (servicesToStart, command, options) =>
          startServices([...servicesToStart, ...application], definition, {
            ...options,
            ...(running && { running: (await running).services }),
            isAnnounced: command === server && worker === undefined,
          }),
      };
      const code = await run(program, argv, host);
      await host.finish(code);
      return code;
    },
    start: async ({ server = true } = {}) => {
      if (running !== undefined) throw errors.E_APP_RUNNING();
      applyRoot();
      running = server
        ? startServices(services, definition)
        : startServices(withoutServer(services), definition, { verified: services.filter(isServer) });
      try {
        await running;
      } catch (failure) {
        running = undefined;
        throw failure;
      }
    },
    stop: async () => {
      // A failed start has already stopped its services, and `start` throws its error.
      const started = await running?.catch(() => undefined);
      try {
        await started?.stop();
      } finally {
        running = undefined;
      }
    },
    fetch,
    request: (path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init)),
  } satisfies Application);
  return app;
}

/** Returns all services but the server, and in its place the server's dependencies. */
const withoutServer = (services: readonly Service.Service[]): readonly Service.Service[] =>
  services.flatMap((service) => (isServer(service) ? service.dependencies() : [service]));
