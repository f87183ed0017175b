import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { superviseWorkers } from "../cli/index.ts";
import { Command, type Lifecycle, type Service, type Worker } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Service that answers requests. */
export type Server = Service.Service & Required<Pick<Service.Service, "fetch">>;

const isServer = (service: Service.Service): service is Server => service.fetch !== undefined;

/**
 * Returns the one service that answers requests.
 *
 * @throws E_APP_NO_SERVER when there is none, E_APP_SEVERAL_SERVERS when there are several.
 */
export function findServer(services: readonly Service.Service[]): Server {
  const [server, ...others] = services.filter(isServer);
  if (server === undefined) throw errors.E_APP_NO_SERVER();
  if (others.length > 0) throw errors.E_APP_SEVERAL_SERVERS([server, ...others].map(({ name }) => name));
  return server;
}

/** Argument of `serverCommand`. */
export interface ServerCommandDefinition {
  readonly services: readonly Service.Service[];
  /** Handle of this process as a worker. `undefined` in a single process and in the supervisor. */
  readonly worker: Worker | undefined;
  /** Runs the checks of a start, before the supervisor starts workers. */
  readonly prepare: () => Promise<Lifecycle.RunningServices>;
}

/**
 * Creates the command `server`, which starts all services and waits for a signal. With `--workers`, the process supervises
 * worker processes that do so.
 */
export function serverCommand({ services, worker, prepare }: ServerCommandDefinition): Command.Command {
  // Workers inherit the arguments of the supervisor.
  const startsServices = (args: readonly string[]): boolean =>
    worker !== undefined || parseWorkerCount(args) === undefined;
  return Command.make({
    name: "server",
    usage: "[--workers <n>|auto]",
    description: "Starts all services and answers requests until a signal ends it",
    isLongRunning: true,
    dependencies: (args) => {
      findServer(services);
      return startsServices(args) ? services : [];
    },
    run: async (args, { signal }) => {
      const count = parseWorkerCount(args);
      if (count === 0) return undefined;
      if (startsServices(args)) {
        worker?.reportReady();
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      } else {
        await using cleanup = new AsyncDisposableStack();
        const prepared = await prepare();
        cleanup.defer(() => prepared.stop());
        await superviseWorkers({ count: count ?? 1, signal, onReload });
      }
      return Command.done;
    },
  });
}

/** Returns the number of workers in the arguments: `undefined` without the option, 0 for an invalid number. */
function parseWorkerCount(args: readonly string[]): number | undefined {
  const { workers } = parseArgs({ args: [...args], options: { workers: { type: "string" } } }).values;
  if (workers === undefined) return undefined;
  if (workers === "auto") return availableParallelism();
  return /^[1-9]\d{0,2}$/.test(workers) ? Number(workers) : 0;
}

function onReload(listener: () => void): () => void {
  process.on("SIGHUP", listener);
  return () => process.off("SIGHUP", listener);
}
