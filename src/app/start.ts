import { baseFields } from "../program/index.ts";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { findMisspelledKeys, requireFields } from "../config/internal.ts";
import { type ConfigurationField, Lifecycle, type Service } from "../core/index.ts";
import { Log, LogInternals } from "../log/index.ts";
import { Time } from "../time/index.ts";
import type { AppDefinition } from "./contract.ts";

const log = Log.source("limmat.app");

/** Options of `startServices`. */
export interface StartOptions extends Lifecycle.StartOptions {
  /** True if the environment and misspelled keys are logged. Default false. */
  readonly isAnnounced?: boolean;
  /** True if only the configuration is checked, because other processes start the services. Default false. */
  readonly isCheckOnly?: boolean;
  /** Services that do not start, and whose definitions are verified. Default none. */
  readonly verified?: readonly Service.Service[];
}

/**
 * Runs `beforeStart`, checks the configuration of the services and their dependencies, and starts them.
 *
 * The returned `stop` runs `afterStop` at the end, and so does a failed start. When a part of the application is `running`
 * already, the hooks are skipped: the start of that part has run them.
 *
 * @throws E_CONFIGURATION with all missing and invalid keys, before any service starts; errors of `Lifecycle.start`.
 */
export async function startServices(
  services: readonly Service.Service[],
  { beforeStart, afterStop, reporters }: Omit<AppDefinition, "services">,
  { isAnnounced = false, isCheckOnly = false, verified = [], ...options }: StartOptions = {},
): Promise<Lifecycle.RunningServices> {
  await using cleanup = new AsyncDisposableStack();
  if (options.running === undefined) {
    await beforeStart?.();
    cleanup.defer(async () => afterStop?.());
  }

  const ordered = Lifecycle.sortByDependencies(services);
  const fields = [...baseFields, ...ordered.flatMap((service) => service.configuration)];
  requireFields(fields);
  for (const { verify } of verified) verify?.();
  if (reporters !== undefined) LogInternals.reconfigure({ reporters });
  if (isAnnounced) logStart(fields);
  const running = await Lifecycle.start(isCheckOnly ? [] : ordered, {
    ...options,
    onStateChange: logStateChanges(options.onStateChange),
  });
  cleanup.defer(() => running.stop());

  const stack = cleanup.move();
  let stopping: Promise<void> | undefined;
  return { services: running.services, stop: () => (stopping ??= stack.disposeAsync()) };
}

function logStart(fields: readonly ConfigurationField[]): void {
  const environment = Configuration.environment();
  const isSet = ConfigurationInternals.isEnvironmentSet();
  log.info(`Starting in ${environment}${isSet ? "" : ": FRAMEWORK_ENV is not set"}`, { environment });
  for (const warning of findMisspelledKeys(fields)) log.warning(warning);
}

type OnStateChange = NonNullable<Lifecycle.StartOptions["onStateChange"]>;

function logStateChanges(onStateChange: OnStateChange | undefined): OnStateChange {
  let startMs = 0;
  return (service, state) => {
    if (state === "starting" || state === "stopping") startMs = Time.monotonic();
    else if (state !== "draining")
      log.debug(`The service "${service.name}" is ${state}`, { ms: Math.round(Time.monotonic() - startMs) });
    onStateChange?.(service, state);
  };
}
