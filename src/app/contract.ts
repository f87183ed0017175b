import type { Host } from "../program/index.ts";
import type { Command, ConfigurationField, Service } from "../core/index.ts";
import type { Log } from "../log/index.ts";

/** Argument of `App.create`. */
export interface AppDefinition {
  /** Services in the order of their start. Dependencies start first and need not be listed, the server starts last. */
  readonly services: readonly Service.Service[];
  /** Configuration fields that the application reads itself. They are checked at each start, as those of the services. */
  readonly configuration?: readonly ConfigurationField[];
  /** Commands of the application, in addition to the commands of the framework and of the services. */
  readonly commands?: readonly Command.Command[];
  /** Runs before the configuration is checked and the first service starts. */
  readonly beforeStart?: () => Promise<void> | void;
  /** Runs after the last service has stopped, also after a failed start. */
  readonly afterStop?: () => Promise<void> | void;
  /** Folder of the project, which contains the env files. `ROOT_PATH` overrides it. */
  readonly root?: string;
  /** Destinations of log events, instead of `Log.Reporters.defaults()`. Other options of `Log.configure` stay. */
  readonly reporters?: readonly Log.Reporter[];
}

/** Application: services and commands, ready to run. */
export interface Application {
  /**
   * Runs the command that the arguments name, by default the arguments of the process. Sets the exit code of the process
   * and returns it: 0 done, 1 failed, 2 wrong arguments, 128 plus the signal's number when interrupted. Never throws.
   *
   * Services that `start` has started keep running: a command uses them and takes part in a surrounding transaction.
   */
  readonly run: (argv?: readonly string[], host?: Host) => Promise<number>;
  /**
   * Starts all services. With `server: false`, starts all but the server, which only verifies its routes. For tests, and to
   * embed the application in another program.
   *
   * @throws E_CONFIGURATION, E_SERVICE_START, E_APP_RUNNING when the application is already started. With `server: false`,
   * errors of the routes such as E_ROUTE_TAKEN.
   */
  readonly start: (options?: { readonly server?: boolean }) => Promise<void>;
  /** Stops the services that `start` started, in reverse order. Does nothing without a `start`. */
  readonly stop: () => Promise<void>;
  /**
   * Answers a request without a socket.
   *
   * @throws E_APP_NO_SERVER, E_APP_SEVERAL_SERVERS unless exactly one service answers requests.
   */
  readonly fetch: (request: globalThis.Request) => Promise<globalThis.Response>;
  /** Same as `fetch`, for a path: `app.request("/todos", { method: "POST", body })` requests `http://localhost/todos`. */
  readonly request: (path: string, init?: RequestInit) => Promise<globalThis.Response>;
}
