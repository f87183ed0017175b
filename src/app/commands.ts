// Commands that every application has. Dynamic imports keep the start of the others fast.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { superviseWorkers } from "../workers/index.ts";
import { Command, isServer, type Lifecycle, type Server, type Service, type Worker } from "../core/index.ts";
import type { AppDefinition, Application } from "./contract.ts";
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

/** Creates the command `server`: starts all services and waits for a signal, or supervises workers that do so. */
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

/** Returns the number of workers, `undefined` without the option and 0 if it is invalid, and the path of the state file. */
function parseArguments(args: readonly string[]): { count: number | undefined; stateFile: string | undefined } {
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
    run: async (args, context) => (await import("./run-console.ts")).runConsole(app, parseCode(args), context),
  });
}

/** Returns the code in the arguments, or `undefined` without the option. */
const parseCode = (args: readonly string[]): string | undefined =>
  parseArgs({ args: [...args], options: { eval: { type: "string" } } }).values.eval;

/**
 * Creates the command `doctor`, which checks Node, configuration, secret and services, and reports problems with advice.
 * It fails if there is a problem. With `--production` it checks whether the application is ready for production.
 */
export function doctorCommand(definition: AppDefinition): Command.Command {
  return Command.make({
    name: "doctor",
    usage: "[--production] [--json]",
    description: "Checks configuration, secret, database, migrations and headers, and advises what to do",
    run: async (args, { output }) => (await import("./doctor/run-doctor.ts")).runDoctor(definition, args, output),
  });
}
