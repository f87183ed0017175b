import type { Readable } from "node:stream";
import type { Script } from "./shell.ts";

/** Result of a script. */
export interface ScriptResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of `Remote.run`. */
export interface RunOptions {
  /** Standard input of the script. Default: empty. */
  readonly input?: string | Readable;
  /** Called with each piece of the standard output as it arrives. */
  readonly onOutput?: (text: string) => void;
  /** True if a signal to end does not end the script. Default false. */
  readonly isUninterruptible?: boolean;
}

/** Script that runs until it is released. */
export interface HeldScript {
  /** First line that the script has printed. */
  readonly line: string;
  /** Ends the input of the script, and waits for its end. */
  readonly release: () => Promise<void>;
}

/** Host that runs shell scripts. */
export interface Remote {
  /** Name of the host in messages. */
  readonly name: string;
  /**
   * Runs a script with `set -eu` and returns its result, also if it fails.
   *
   * @throws E_DEPLOY_CONNECTION if the connection fails; the reason of the signal if it is aborted.
   */
  readonly run: (script: Script, options?: RunOptions) => Promise<ScriptResult>;
  /** Starts a script and returns when it has printed a line. The script is to wait for the end of its input then. */
  readonly hold: (script: Script) => Promise<HeldScript>;
  /** Ends the connection. */
  readonly close: () => Promise<void>;
}
