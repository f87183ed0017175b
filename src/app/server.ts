import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { superviseWorkers } from "../cli/index.ts";
import { Command, type Lifecycle, type Service, type Worker } from "../core/index.ts";
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

/** What the command `server` needs to know. */
export interface ServerProcess {
  readonly services: readonly Service.Service[];
  /** What this process is as one of several; absent when it is alone, or starts the others. */
  readonly worker: Worker | undefined;
  /** Checks all that can be checked before the workers start. */
  readonly prepare: () => Promise<Lifecycle.Running>;
}

/**
 * The command `server`: starts all services and waits until the process is told to end. With `--workers` it starts other
 * processes that do so, and watches over them.
 */
export function serverCommand({ services, worker, prepare }: ServerProcess): Command.Command {
  /** Whether this process starts the services itself. A worker has the arguments of the process that started it. */
  const isAlone = (args: readonly string[]): boolean => worker !== undefined || workersOf(args) === undefined;
  return Command.make({
    name: "server",
    usage: "[--workers <n>|auto]",
    description: "Starts all services and answers requests until it is told to end",
    isLongRunning: true,
    dependencies: (args) => {
      serverOf(services);
      return isAlone(args) ? services : [];
    },
    run: async (args, { signal }) => {
      const count = workersOf(args);
      if (count === 0) return undefined;
      if (isAlone(args)) {
        worker?.ready();
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      } else {
        await using undoing = new AsyncDisposableStack();
        const prepared = await prepare();
        undoing.defer(() => prepared.stop());
        await superviseWorkers({ count: count ?? 1, signal, onReload });
      }
      return Command.done;
    },
  });
}

/** How many workers the arguments ask for: `undefined` for none, 0 for what is no number. */
function workersOf(args: readonly string[]): number | undefined {
  const { workers } = parseArgs({ args: [...args], options: { workers: { type: "string" } } }).values;
  if (workers === undefined) return undefined;
  if (workers === "auto") return availableParallelism();
  return /^[1-9]\d{0,2}$/.test(workers) ? Number(workers) : 0;
}

function onReload(listener: () => void): () => void {
  process.on("SIGHUP", listener);
  return () => process.off("SIGHUP", listener);
}
