import { baseFields } from "../cli/index.ts";
import { Configuration } from "../config/index.ts";
import { type ConfigurationField, Lifecycle, type Service } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { Time } from "../time/index.ts";
import type { AppDefinition } from "./app.ts";
import { misspeltKeys } from "./misspelt.ts";

const log = Log.source("limmat.app");

/** What `startServices` is given beside the services. */
export interface StartOptions extends Lifecycle.StartOptions {
  /** Whether the environment, and what it switches off, is logged. */
  readonly isAnnounced?: boolean;
  /** Whether the services are started by other processes: here their configuration is checked only. Default false. */
  readonly startsElsewhere?: boolean;
}

/**
 * Runs `beforeStart`, checks the configuration of the services and of all that they depend on, and starts them.
 *
 * Stopping what it gives runs `afterStop` at the end; a start that fails does so, too. Where some of the application is
 * `running` already, the hooks are left to whoever started that.
 *
 * @throws E_CONFIGURATION with all that is missing or wrong, before anything has started; what `Lifecycle.start` throws.
 */
export async function startServices(
  services: readonly Service.Service[],
  { beforeStart, afterStop, reporters }: Pick<AppDefinition, "beforeStart" | "afterStop" | "reporters">,
  { isAnnounced = false, startsElsewhere = false, ...options }: StartOptions = {},
): Promise<Lifecycle.Running> {
  await using undoing = new AsyncDisposableStack();
  if (options.running === undefined) {
    await beforeStart?.();
    undoing.defer(async () => afterStop?.());
  }

  const needed = Lifecycle.inOrder(services);
  const fields = [...baseFields, ...needed.flatMap(({ configuration }) => configuration)];
  Configuration.require(fields);
  if (reporters !== undefined) Log.configure({ reporters });
  if (isAnnounced) announce(needed, fields);
  const running = await Lifecycle.start(startsElsewhere ? [] : needed, {
    ...options,
    onChange: told(options.onChange),
  });
  undoing.defer(() => running.stop());

  const stack = undoing.move();
  let stopping: Promise<void> | undefined;
  return { services: running.services, stop: () => (stopping ??= stack.disposeAsync()) };
}

function announce(services: readonly Service.Service[], fields: readonly ConfigurationField[]): void {
  const environment = Configuration.environment();
  const isSet = Configuration.isEnvironmentSet();
  log.info(`Starting in ${environment}${isSet ? "" : ": FRAMEWORK_ENV is not set"}`, { environment });

  for (const misspelt of misspeltKeys(fields)) log.warning(misspelt);
  const knowsCsrf = services.some(({ configuration }) => configuration.some(({ key }) => key === "CHECK_CSRF"));
  if (knowsCsrf && isSet && environment !== "production" && Configuration.readBool("CHECK_CSRF") !== true) {
    log.warning("CSRF protection is off: CHECK_CSRF is not true");
  }
}

function told(onChange: Lifecycle.StartOptions["onChange"]): NonNullable<Lifecycle.StartOptions["onChange"]> {
  let since = 0;
  return (service, state) => {
    if (state === "starting" || state === "stopping") since = Time.monotonic();
    else if (state !== "draining")
      log.debug(`The service "${service.name}" is ${state}`, { ms: Math.round(Time.monotonic() - since) });
    onChange?.(service, state);
  };
}
