import { errors } from "./errors.ts";
import type { Service } from "./service.ts";

/** Services that run, and the way to end them. */
export interface Running {
  /** In the order in which they were started: dependencies first. */
  readonly services: readonly Service[];
  /**
   * Stops them in reverse order, each even if another fails, and throws what failed at the end. A second call waits
   * for the first.
   */
  stop(): Promise<void>;
}

/**
 * Gives the services and all that they depend on, dependencies first, otherwise in the order given.
 *
 * @throws E_SERVICE_CYCLE when services depend on each other in a circle, E_SERVICE_NAME_TAKEN when two have one name.
 */
export function inOrder(services: readonly Service[]): Service[] {
  const ordered = new Set<Service>();
  const names = new Map<string, Service>();
  const path: Service[] = [];

  const visit = (service: Service): void => {
    if (ordered.has(service)) return;
    if (path.includes(service)) {
      throw errors.E_SERVICE_CYCLE([...path.slice(path.indexOf(service)), service].map(({ name }) => name));
    }
    path.push(service);
    service.dependencies().forEach(visit);
    path.pop();
    if (names.has(service.name)) throw errors.E_SERVICE_NAME_TAKEN(service.name);
    names.set(service.name, service);
    ordered.add(service);
  };

  services.forEach(visit);
  return [...ordered];
}

/**
 * Starts the services and all that they depend on, one after the other, dependencies first.
 *
 * @throws E_SERVICE_START when one fails to start; by then all that were started are stopped again.
 */
export async function start(services: readonly Service[]): Promise<Running> {
  const ordered = inOrder(services);
  const started: Service[] = [];
  try {
    for (const service of ordered) {
      await service.start({ services: ordered });
      started.push(service);
    }
  } catch (cause) {
    const failure = errors.E_SERVICE_START(ordered[started.length]?.name ?? "", cause).causedBy(cause);
    await stopAll(started).catch((stopping: unknown) => failure.causedBy(new AggregateError([cause, stopping])));
    throw failure;
  }
  let stopping: Promise<void> | undefined;
  return { services: ordered, stop: () => (stopping ??= stopAll(started)) };
}

async function stopAll(started: readonly Service[]): Promise<void> {
  const failures: unknown[] = [];
  for (const service of started.toReversed()) {
    try {
      await service.stop();
    } catch (cause) {
      failures.push(errors.E_SERVICE_STOP(service.name, cause).causedBy(cause));
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}
