import { Configuration } from "../config/index.ts";
import { type ConfigurationField, Lifecycle, type Service } from "../core/index.ts";
import type { AppDefinition } from "./app.ts";

const settings = Configuration.group({
  timeout: Configuration.duration("SHUTDOWN_TIMEOUT", {
    description: "how long the process may take to end",
    default: 25_000,
    validate: (value) => (value > 0 ? undefined : "must be longer than nothing"),
  }),
});

/** The keys that every run reads, whatever services it starts. */
export const baseFields: readonly ConfigurationField[] = [...Configuration.fields, ...settings.fields];

/** How long the process may take to end, in milliseconds. */
export const shutdownTimeout = (): number => settings.read().timeout;

/**
 * Runs `beforeStart`, checks the configuration of the services and of all that they depend on, and starts them.
 *
 * Stopping what it gives runs `afterStop` at the end; a start that fails does so, too.
 *
 * @throws E_CONFIGURATION with all that is missing or wrong, before anything has started; what `Lifecycle.start` throws.
 */
export async function startServices(
  services: readonly Service.Service[],
  hooks: Pick<AppDefinition, "beforeStart" | "afterStop">,
  options: Lifecycle.StartOptions,
): Promise<Lifecycle.Running> {
  await using undoing = new AsyncDisposableStack();
  await hooks.beforeStart?.();
  undoing.defer(async () => hooks.afterStop?.());

  const needed = Lifecycle.inOrder(services);
  Configuration.require([...baseFields, ...needed.flatMap(({ configuration }) => configuration)]);
  const running = await Lifecycle.start(needed, options);
  undoing.defer(() => running.stop());

  const stack = undoing.move();
  let stopping: Promise<void> | undefined;
  return { services: running.services, stop: () => (stopping ??= stack.disposeAsync()) };
}
