import type { ServiceKind } from "./settings.ts";
import type { Script } from "./shell.ts";

/** Application on a host, as units and launchers describe it. */
export interface ServiceDescription {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
  readonly user: string;
  readonly workers: string;
}

/**
 * Way to run the server on a host. Each method returns a script for the host.
 *
 * A new release needs none of them: the supervisor of the workers gets SIGHUP, which needs no rights.
 */
export interface ServiceManager {
  readonly kind: ServiceKind;
  /** Writes the units, and lets the server start with the host. Prints `changed` if a running server needs a restart. */
  readonly install: () => Script;
  /** Starts the server, which does not run. */
  readonly start: () => Script;
  /** Stops the server and waits for its end. */
  readonly stop: () => Script;
  /** Prints the end of the server's output: of the last `periodMs` if the output has timestamps. */
  readonly explain: (periodMs: number) => Script;
  /** Sentence about what the manager does not do, or `undefined`. */
  readonly limitation: string | undefined;
  /** Command that stops the server and disables its start with the host, to be run there by an administrator. */
  readonly removal: string;
}
