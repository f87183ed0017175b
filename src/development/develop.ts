import { once } from "node:events";
import { ConfigurationInternals } from "../config/index.ts";
import { setProjectRoot } from "../config/internal.ts";
import { Command } from "../core/index.ts";
import { printError, processHost } from "../program/index.ts";
import { type DevelopOptions, DevelopmentServer } from "./development-server.ts";

/**
 * Runs an application behind a proxy that restarts it on every change, and returns the exit code.
 *
 * A new version takes over when it listens. If it fails to start, the previous version keeps running, and the error is
 * shown in the terminal and over the page. Browsers reload automatically. A spare process with preloaded packages waits
 * for the next change, so that a restart reads only the application's own files. The sources in `resources` are bundled
 * in memory. Types are checked in a further process, and their errors do not prevent a start.
 */
export async function develop(root: string, options: DevelopOptions = {}): Promise<number> {
  try {
    await runDevelopmentServer(root, options);
    return 0;
  } catch (error) {
    printError(error, processHost().output);
    return 1;
  }
}

/** Runs the command `dev`. Returns `undefined` for wrong arguments. @throws E_DEVELOP_LISTEN */
export async function runDevelop(args: readonly string[], signal: AbortSignal): Promise<Command.Done | undefined> {
  if (!args.every((arg) => arg === "--migrate" || arg === "--no-types")) return undefined;
  const options = { migratesAtStart: args.includes("--migrate"), checksTypes: !args.includes("--no-types") };
  await runDevelopmentServer(ConfigurationInternals.root(), { signal, ...options });
  return Command.done;
}

async function runDevelopmentServer(root: string, options: DevelopOptions): Promise<void> {
  setProjectRoot(root);
  const {
    signal = processShutdownSignal(),
    print = console.log,
    onStderr = (text) => process.stderr.write(text),
  } = options;
  const { migratesAtStart = false, checksTypes = true } = options;
  await using server = new DevelopmentServer(root, { signal, print, onStderr, migratesAtStart, checksTypes });
  const port = await server.start();
  if (port === undefined) return;
  options.onReady?.(port);
  if (!signal.aborted) await once(signal, "abort");
}

function processShutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
