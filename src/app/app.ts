import { type Host, processHost, type Program, run } from "../cli/index.ts";
import { Configuration } from "../config/index.ts";
import type { Command, Lifecycle, Service } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { consoleCommand } from "./console.ts";
import { doctorCommand } from "./doctor/doctor.ts";
import { errors } from "./errors.ts";
import { serverCommand, serverOf } from "./server.ts";
import { startServices } from "./start.ts";

/** What an application is made of. */
export interface AppDefinition {
  /** The services, in the order in which they start; what they depend on starts before them, listed or not. */
  readonly services: readonly Service.Service[];
  /** The commands beside those of the framework and of the services. */
  readonly commands?: readonly Command.Command[];
  /** Runs before the configuration is checked and the first service starts. */
  readonly beforeStart?: () => Promise<void> | void;
  /** Runs after the last service has stopped, also after a start that failed. */
  readonly afterStop?: () => Promise<void> | void;
  /** The folder of the project, where the env files are. `ROOT_PATH` overrides it. */
  readonly root?: string;
  /** Where log events go, instead of `Log.defaultReporters()`. */
  readonly reporters?: readonly Log.Reporter[];
}

/** An application: services and commands, ready to run. */
export interface App {
  /**
   * Runs the command that the arguments name, by default those of the process, and sets the exit code of the process,
   * which it also gives: 0 done, 1 failed, 2 wrong arguments, 128 and the signal's number when cut short. Never throws.
   * What `start` has started goes on running: a command uses it as it is, and is part of a transaction around it.
   */
  readonly run: (argv?: readonly string[], host?: Host) => Promise<number>;
  /**
   * Starts all services; with `server: false` all but the one that answers requests. For tests, and to embed the
   * application in another program.
   *
   * @throws E_CONFIGURATION, E_SERVICE_START, E_APP_RUNNING when it was started already.
   */
  readonly start: (options?: { readonly server?: boolean }) => Promise<void>;
  /** Stops what `start` started, in reverse order. Without a `start` before it does nothing. */
  readonly stop: () => Promise<void>;
  /**
   * Answers a request without a socket.
   *
   * @throws E_APP_NO_SERVER, E_APP_SEVERAL_SERVERS unless exactly one service answers requests.
   */
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>;
  /** The same for a path: `app.request("/todos", { method: "POST", body })` asks `http://localhost/todos`. */
  readonly request: (path: string, init?: RequestInit) => Promise<globalThis.Response>;
}

/**
 * Makes an application. Nothing starts before `run` or `start`.
 *
 * @example
 * const app = App.create({ services: [clock], commands: [tell] });
 * await app.run();
 */
export function create(definition: AppDefinition): App {
  const { services, commands = [], root } = definition;
  let running: Promise<Lifecycle.Running> | undefined;

  const prepare = (): void => {
    if (root !== undefined) Configuration.setRoot(root);
  };
  const fetch = (request: globalThis.Request): Promise<globalThis.Response> => serverOf(services).fetch(request);

  const app: App = Object.freeze({
    run: async (argv = process.argv.slice(2), host = processHost()) => {
      prepare();
      const { worker } = host;
      if (worker !== undefined) Log.setProcessFields({ worker: worker.number });
      const server = serverCommand({
        services,
        worker,
        prepare: () => startServices(services, definition, { isAnnounced: true, startsElsewhere: true }),
      });
      const program: Program = {
        services,
        builtIn: [server, consoleCommand(app, withoutServer(services)), doctorCommand(definition)],
        commands,
        start: async (needed, command, options) =>
          startServices(needed, definition, {
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
      prepare();
      const all = server ? services : withoutServer(services);
      running = startServices(all, definition);
      try {
        await running;
      } catch (failure) {
        running = undefined;
        throw failure;
      }
    },
    stop: async () => {
      // A start that fails has stopped by itself, and tells whoever started.
      const started = await running?.catch(() => undefined);
      try {
        await started?.stop();
      } finally {
        running = undefined;
      }
    },
    fetch,
    request: (path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init)),
  } satisfies App);
  return app;
}

/** All but the server, with what the server depends on. */
const withoutServer = (services: readonly Service.Service[]): readonly Service.Service[] =>
  services.flatMap((service) => (service.fetch === undefined ? [service] : service.dependencies()));
