import { errors } from "./errors.ts";
import type { Service } from "./service.ts";

/** The way of a service through a run. */
export type State = "starting" | "running" | "draining" | "stopping" | "stopped";

/** What `start` is given beside the services. */
export interface StartOptions {
  /** When it is aborted, nothing more is started, what runs is stopped, and its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Services that run already: they are neither started nor stopped here. Default none. */
  readonly running?: readonly Service[];
  /** Told of each service that changes its state. */
  readonly onChange?: (service: Service, state: State) => void;
}

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
 * Starts the services and all that they depend on, one after the other, dependencies first, and tells each when all have
 * started. Their `stop` drains all at the same time, and then stops one after the other.
 *
 * @throws E_SERVICE_START when one fails to start; by then all that were started are stopped again. Either in an
 * SuppressedError with E_SERVICE_STOP when that failed, too.
 */
export async function start(services: readonly Service[], options: StartOptions = {}): Promise<Running> {
  const { signal, running = [], onChange = () => {} } = options;
  const ordered = inOrder(services);
  const missing = ordered.filter((service) => !running.includes(service));
  const started: Service[] = [];
  for (const service of missing) {
    try {
      signal?.throwIfAborted();
      onChange(service, "starting");
      await service.start({ services: ordered });
      started.push(service);
      onChange(service, "running");
    } catch (cause) {
      throw await undo(started, failureOf(service, cause, signal), onChange);
    }
  }
  for (const service of missing) {
    try {
      signal?.throwIfAborted();
      await service.ready?.({ services: ordered });
    } catch (cause) {
      throw await undo(started, failureOf(service, cause, signal), onChange);
    }
  }
  let stopping: Promise<void> | undefined;
  return { services: ordered, stop: () => (stopping ??= stopAll(started, onChange)) };
}

const failureOf = (service: Service, cause: unknown, signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true ? cause : errors.E_SERVICE_START(service.name, cause).causedBy(cause);

type OnChange = NonNullable<StartOptions["onChange"]>;

/** Stops what had started, and gives what is to be thrown. */
async function undo(started: readonly Service[], failure: unknown, onChange: OnChange): Promise<unknown> {
  try {
    await stopAll(started, onChange);
    return failure;
  } catch (stopping) {
    return new SuppressedError(stopping, failure, "A start failed, and so did the stop of what had started");
  }
}

async function drainAll(started: readonly Service[], onChange: OnChange, failures: unknown[]): Promise<void> {
  const draining = new Set(started.filter(({ drain }) => drain !== undefined));
  const tell = (): void => {
    for (const service of draining) return onChange(service, "draining");
  };
  tell();
  await Promise.all(
    [...draining].map(async (service) => {
      try {
        await service.drain?.();
      } catch (cause) {
        failures.push(errors.E_SERVICE_STOP(service.name, cause).causedBy(cause));
      }
      // Told of one that is still at it, so that whoever gives up can name it.
      draining.delete(service);
      tell();
    }),
  );
}

async function stopAll(started: readonly Service[], onChange: OnChange): Promise<void> {
  const failures: unknown[] = [];
  await drainAll(started, onChange, failures);
  for (const service of started.toReversed()) {
    onChange(service, "stopping");
    try {
      await service.stop();
    } catch (cause) {
      failures.push(errors.E_SERVICE_STOP(service.name, cause).causedBy(cause));
    }
    onChange(service, "stopped");
  }
  if (failures.length > 1) throw new AggregateError(failures, "Several services could not stop");
  if (failures.length === 1) throw failures[0];
}
