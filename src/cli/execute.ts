import type { Command } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { type Ending, exitCodeOf, watchEnding } from "./ending.ts";
import { helpOf } from "./help.ts";
import type { Host } from "./host.ts";
import type { Program } from "./program.ts";
import { note } from "./report.ts";
import { wrongArguments } from "./wrong-arguments.ts";

const log = Log.source("limmat.cli");

/**
 * Starts what the command depends on, runs it, and stops what was started, in this order, whatever happens.
 *
 * Gives the exit code: 0 when it is done, 2 when its arguments were wrong, 1 when anything failed, 128 and the
 * signal's number when a signal cut it short.
 */
export async function execute(
  command: Command.Command,
  args: readonly string[],
  program: Program,
  host: Host,
): Promise<number> {
  const ending = watchEnding(host);
  const fault = Promise.withResolvers<never>();
  fault.promise.catch(() => {});
  let isUp = false;
  const stopGuarding = host.onFault((thrown) => {
    // A throw in a callback ends nothing but that callback, as a rejection does: what else runs is whole. To end here
    // would let one bad request end all others.
    if (isUp && command.isLongRunning) return log.error("Something was thrown that nothing caught", { error: thrown });
    fault.reject(thrown);
    ending.abort(thrown);
  });

  const work = async (): Promise<Command.Done | undefined> => {
    isUp = true;
    ending.waitFor(`the command "${command.name}"`);
    const context = { services: program.services, output: host.output, signal: ending.signal };
    return Promise.race([command.run(args, context), fault.promise]);
  };

  try {
    const done = await withDependencies(command, args, program, ending, work);
    if (done !== undefined) return 0;
    host.output.note(`${misfit(command, args)}\n\n${helpOf(command, host.program)}`);
    return 2;
  } catch (thrown) {
    const signal = ending.received();
    if (signal !== undefined && isInterruption(thrown, ending.signal))
      return command.isLongRunning ? 0 : exitCodeOf(signal);
    const wrong = wrongArguments(thrown);
    if (wrong !== undefined) {
      host.output.note(`${wrong}\n\n${helpOf(command, host.program)}`);
      return 2;
    }
    note(thrown, host.output);
    return 1;
  } finally {
    stopGuarding();
    ending.dispose();
  }
}

/** What a command means that did not say it was done. One that takes no arguments and was given none has forgotten to. */
function misfit({ name, usage }: Command.Command, args: readonly string[]): string {
  if (args.length > 0) return `These arguments do not fit: ${args.join(" ")}`;
  return usage === "" ? `The command "${name}" has ended without giving Command.done.` : "Arguments are missing.";
}

async function withDependencies<T>(
  command: Command.Command,
  args: readonly string[],
  program: Program,
  ending: Ending,
  work: () => Promise<T>,
): Promise<T> {
  const dependencies = command.dependencies(args, program.services);
  if (dependencies.length === 0) return work();
  // Undone from last to first, also after a throw.
  await using undoing = new AsyncDisposableStack();
  const running = await program.start(dependencies, command, ending);
  undoing.defer(() => running.stop());
  undoing.defer(ending.begin);
  ending.signal.throwIfAborted();
  return await work();
}

const isInterruption = (thrown: unknown, signal: AbortSignal): boolean =>
  thrown === signal.reason || (thrown instanceof Error && thrown.name === "AbortError");
