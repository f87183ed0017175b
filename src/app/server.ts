import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { superviseWorkers } from "../workers/index.ts";
import { Command, isServer, type Lifecycle, type Server, type Service, type Worker } from "../core/index.ts";
import { errors } from "./errors.ts";

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
    worker !== undefined || parseArguments(args).count === undefined;
  return Command.make({
    name: "server",
    usage: "[--workers <n>|auto [--state-file <path>]]",
    description: "Starts all services and answers requests until a signal ends it",
    details: "--state-file names a JSON file that shows the workers, and whether their last replacement succeeded.",
    isLongRunning: true,
    dependencies: (args) => {
      findServer(services);
      return startsServices(args) ? services : [];
    },
    run: async (args, { signal }) => {
      const { count, stateFile } = parseArguments(args);
      if (count === 0 || (count === undefined && stateFile !== undefined)) return undefined;
      if (startsServices(args)) {
        worker?.reportReady();
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      } else {
        await using cleanup = new AsyncDisposableStack();
        const prepared = await prepare();
        cleanup.defer(() => prepared.stop());
        await superviseWorkers({ count: count ?? 1, signal, onReload, stateFile });
      }
      return Command.done;
    },
  });
}

/** Arguments of the command `server`. */
interface ServerArguments {
  /** Number of workers: `undefined` without the option, 0 for an invalid number. */
  readonly count: number | undefined;
  readonly stateFile: string | undefined;
}

function parseArguments(args: readonly string[]): ServerArguments {
  const options = { workers: { type: "string" }, "state-file": { type: "string" } } as const;
  const { workers, "state-file": stateFile } = parseArgs({ args: [...args], options }).values;
  return { count: workers === undefined ? undefined : parseWorkerCount(workers), stateFile };
}

const parseWorkerCount = (text: string): number =>
  text === "auto" ? availableParallelism() : /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;

function onReload(listener: () => void): () => void {
  process.on("SIGHUP", listener);
  return () => process.off("SIGHUP", listener);
}
