import { withDeclarations } from "./declaration.ts";
import { errors } from "./errors.ts";
import type { Service, StartContext } from "./service.ts";

/** Service that answers requests. */
export type Server = Service & Required<Pick<Service, "fetch">>;

/** Returns true for the server, the service that answers requests. */
export const isServer = (service: Service): service is Server => service.fetch !== undefined;

/** State of a service during a run, in order. */
export type ServiceState = "starting" | "running" | "draining" | "stopping" | "stopped";

/** Options of `Lifecycle.start`. */
export interface StartOptions {
  /** Signal that cancels the start. When it aborts, the started services stop and its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Services that run already. They are neither started nor stopped here. Default none. */
  readonly running?: readonly Service[];
  /** Called for each change of a service's state. */
  readonly onStateChange?: (service: Service, state: ServiceState) => void;
}

/** Services that run, and the function that stops them. */
export interface RunningServices {
  /** The services in the order of their start: dependencies first. */
  readonly services: readonly Service[];
  /**
   * Stops the services in reverse order. A failure does not keep the others from stopping; it is thrown at the end. A
   * second call waits for the first.
   */
  stop(): Promise<void>;
}

/**
 * Returns the services and their transitive dependencies, dependencies first, otherwise in the order of the argument. The
 * server and the services that depend on it come last.
 *
 * @throws E_SERVICE_CYCLE when services depend on each other in a cycle, E_SERVICE_NAME_TAKEN when two have one name.
 */
export function sortByDependencies(services: readonly Service[]): Service[] {
  const ordered = new Set<Service>();
  const names = new Map<string, Service>();
  const path: Service[] = [];

  const visit = (service: Service): void => {
    if (ordered.has(service)) return;
    if (path.includes(service)) {
      const cycle = [...path.slice(path.indexOf(service)), service];
      const failure = errors.E_SERVICE_CYCLE(cycle.map(({ name }) => name));
      throw withDeclarations(failure, ...cycle.slice(0, -1).map(({ declaration }) => declaration));
    }
    path.push(service);
    service.dependencies().forEach(visit);
    path.pop();
    const other = names.get(service.name);
    if (other !== undefined) {
      throw withDeclarations(errors.E_SERVICE_NAME_TAKEN(service.name), other.declaration, service.declaration);
    }
    names.set(service.name, service);
    ordered.add(service);
  };

  services.forEach(visit);
  return divideByServer([...ordered]).flat();
}

/** Divides sorted services into those that do not need the server, and the server with the services that depend on it. */
function divideByServer(services: readonly Service[]): readonly [others: Service[], served: Service[]] {
  const served = new Set<Service>();
  for (const service of services) {
    if (isServer(service) || service.dependencies().some((dependency) => served.has(dependency))) {
      served.add(service);
    }
  }
  return [services.filter((service) => !served.has(service)), [...served]];
}

/**
 * Starts the services and their dependencies one after the other, dependencies first, and then calls `ready` of each. The
 * server starts after that, whatever the list says, so that it answers no request before the others are ready. The
 * returned `stop` drains all of them concurrently, then stops one after the other.
 *
 * @throws E_SERVICE_START when a service fails to start. All started services are stopped before the throw. When a stop
 * fails as well, both errors come in a SuppressedError.
 */
export async function start(services: readonly Service[], options: StartOptions = {}): Promise<RunningServices> {
  const { signal, running = [], onStateChange = () => {} } = options;
  const ordered = sortByDependencies(services);
  const started: Service[] = [];

  const runStep = async (service: Service, step: Step): Promise<void> => {
    try {
      signal?.throwIfAborted();
      await step();
    } catch (cause) {
      throw await rollBack(started, startFailure(service, cause, signal), onStateChange);
    }
  };

  for (const group of divideByServer(ordered)) {
    const servicesToStart = group.filter((service) => !running.includes(service));
    for (const service of servicesToStart) {
      await runStep(service, async () => {
        onStateChange(service, "starting");
        await service.start({ services: ordered });
        started.push(service);
        onStateChange(service, "running");
      });
    }
    for (const service of servicesToStart) await runStep(service, () => service.ready?.({ services: ordered }));
  }
  let stopping: Promise<void> | undefined;
  return { services: ordered, stop: () => (stopping ??= stopAll(started, onStateChange)) };
}

const startFailure = (service: Service, cause: unknown, signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true ? cause : errors.E_SERVICE_START(service.name, cause).causedBy(cause);

type OnStateChange = NonNullable<StartOptions["onStateChange"]>;

/** Stops the started services, and returns the error to throw. */
async function rollBack(started: readonly Service[], failure: unknown, onStateChange: OnStateChange): Promise<unknown> {
  try {
    await stopAll(started, onStateChange);
    return failure;
  } catch (stopFailure) {
    return new SuppressedError(stopFailure, failure, "A start failed, and so did the stop of the started services");
  }
}

type Step = () => Promise<void> | void;

async function collectFailure(service: Service, step: Step, failures: unknown[]): Promise<void> {
  try {
    await step();
  } catch (cause) {
    failures.push(errors.E_SERVICE_STOP(service.name, cause).causedBy(cause));
  }
}

async function drainAll(started: readonly Service[], onStateChange: OnStateChange, failures: unknown[]): Promise<void> {
  const draining = new Set(started.filter(({ drain }) => drain !== undefined));
  const reportFirstDraining = (): void => {
    for (const service of draining) return onStateChange(service, "draining");
  };
  reportFirstDraining();
  await Promise.all(
    [...draining].map(async (service) => {
      await collectFailure(service, () => service.drain?.(), failures);
      // The last reported service is one that still drains: the shutdown timeout names it.
      draining.delete(service);
      reportFirstDraining();
    }),
  );
}

async function stopAll(started: readonly Service[], onStateChange: OnStateChange): Promise<void> {
  const failures: unknown[] = [];
  await drainAll(started, onStateChange, failures);
  for (const service of started.toReversed()) {
    onStateChange(service, "stopping");
    await collectFailure(service, () => service.stop(), failures);
    onStateChange(service, "stopped");
  }
  if (failures.length > 1) throw new AggregateError(failures, "Several services could not stop");
  if (failures.length === 1) throw failures[0];
}

/** Returns `start`, which begins background work, and `stop`, which calls the functions that end it in this order. */
export function background(
  begin: (context: StartContext) => Promise<readonly Step[]> | readonly Step[],
): Pick<Service, "start" | "stop"> {
  let stops: readonly Step[] = [];
  return {
    start: async (context) => {
      stops = await begin(context);
    },
    stop: async () => {
      for (const stop of stops) await stop();
    },
  };
}
