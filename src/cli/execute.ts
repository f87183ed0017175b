import type { Command } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { type Shutdown, exitCodeOf, watchShutdown } from "./shutdown.ts";
import { argumentErrorMessage, type Host, printError } from "../program/index.ts";
import type { Program } from "./run.ts";

const log = Log.source("limmat.cli");

/**
 * Starts the dependencies of a command, runs it, and stops the started services, also after an error.
 *
 * Returns the exit code: 0 on success, 2 for wrong arguments, 1 for a failure, 128 plus the signal number if a signal
 * interrupted the command.
 */
export async function execute(
  command: Command.Command,
  args: readonly string[],
  program: Program,
  host: Host,
): Promise<number> {
  const shutdown = watchShutdown(host);
  const uncaught = Promise.withResolvers<never>();
  uncaught.promise.catch(() => {});
  let hasStarted = false;
  const stopListening = host.onUncaughtError((thrown) => {
    // An uncaught exception ends only the callback that threw it. Exiting here would let one bad request end all
    // others.
    if (hasStarted && command.isLongRunning) return log.error("Uncaught error", { error: thrown });
    uncaught.reject(thrown);
    shutdown.abort(thrown);
  });

  const runCommand = async (): Promise<Command.Done | undefined> => {
    hasStarted = true;
    shutdown.setPendingStep(`the command "${command.name}"`);
    const context = { services: program.services, output: host.output, signal: shutdown.signal };
    return Promise.race([command.run(args, context), uncaught.promise]);
  };

  try {
    const result = await withDependencies(command, args, program, shutdown, runCommand);
    if (result !== undefined) return 0;
    await noteUsage(undefined, command, args, host);
    return 2;
  } catch (thrown) {
    const signal = shutdown.receivedSignal();
    if (signal !== undefined && isAbortOf(thrown, shutdown.signal))
      return command.isLongRunning ? 0 : exitCodeOf(signal);
    const argumentError = argumentErrorMessage(thrown);
    if (argumentError !== undefined) {
      await noteUsage(argumentError, command, args, host);
      return 2;
    }
    printError(thrown, host.output);
    return 1;
  } finally {
    stopListening();
    shutdown.dispose();
  }
}

/** Prints a problem and the usage of the command. The formatter is loaded on demand (docs/decisions/017). */
async function noteUsage(
  problem: string | undefined,
  command: Command.Command,
  args: readonly string[],
  { output, program }: Host,
): Promise<void> {
  const { wrongUsageMessage } = await import("./help.ts");
  output.note(await wrongUsageMessage(problem, command, args, program));
}

async function withDependencies<T>(
  command: Command.Command,
  args: readonly string[],
  program: Program,
  shutdown: Shutdown,
  task: () => Promise<T>,
): Promise<T> {
  const dependencies = command.dependencies(args, program.services);
  if (dependencies.length === 0) return task();
  // Disposes in reverse order: starts the shutdown deadline, then stops the services.
  await using cleanup = new AsyncDisposableStack();
  const running = await program.start(dependencies, command, shutdown);
  cleanup.defer(() => running.stop());
  cleanup.defer(shutdown.startDeadline);
  shutdown.signal.throwIfAborted();
  return await task();
}

const isAbortOf = (thrown: unknown, signal: AbortSignal): boolean =>
  thrown === signal.reason || (thrown instanceof Error && thrown.name === "AbortError");
