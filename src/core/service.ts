import type { Command } from "./command.ts";
import { declarationStack } from "./declaration.ts";
import type { ConfigurationField, Environment } from "./configuration-field.ts";

/** Argument of a service's `start` and `ready`. */
export interface StartContext {
  /** All services of this run, in the order of their start. */
  readonly services: readonly Service[];
}

/** Result of one check of a service. */
export interface Finding {
  /** `problem`: the service cannot or must not work like this. `warning`: it works, but less well or less safely. */
  readonly level: "ok" | "warning" | "problem";
  /** One sentence. */
  readonly message: string;
  /** Remedy, in one sentence. */
  readonly advice?: string;
  /** Code of the error that is the cause, for programs. */
  readonly code?: string;
}

/** Argument of a service's `check`. */
export interface CheckContext {
  /** Environment to check for. With `production` on a development machine, the checks prepare a deployment. */
  readonly environment: Environment;
  /** Names of the services with a failure among those that were checked before. Default: none. */
  readonly failedServices?: readonly string[];
}

/** Metric of a service, in the data model of Prometheus. */
export interface Metric {
  /** Name by the conventions of Prometheus: lower case, base unit last (`_seconds`, `_bytes`), `_total` for counters. */
  readonly name: string;
  /** `counter`: grows from 0 at start. `gauge`: goes up and down. */
  readonly type: "counter" | "gauge";
  /** Description of the metric, in one sentence. */
  readonly help: string;
  /** One sample for each set of labels. Label values are a bounded set: names of the application, never client input. */
  readonly samples: readonly Sample[];
}

/** Current value of a metric for one set of labels. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * A service as a value: its name, dependencies and configuration, its `start` and `stop`, and its own operations.
 *
 * Services are compared by identity: the same value in two lists is one service, two values are two.
 */
export interface Service {
  /** Name of the service, unique within an application: `database`. */
  readonly name: string;
  /** Name of the implementation: `sqlite`. */
  readonly implementation: string;
  /**
   * Role of a service of the framework, by which others find it: the command `seed` finds the migrations, `migrate fresh`
   * the seeds, and the commands of tokens the users. A server needs no role: `fetch`, which it must have, declares it.
   */
  readonly role?: "migrations" | "seeds" | "users";
  /** Returns the services that must start first. A function, so that modules can refer to each other. */
  readonly dependencies: () => readonly Service[];
  readonly configuration: readonly ConfigurationField[];
  readonly commands: readonly Command[];
  /** Starts the service. Throws when it cannot work, so that a wrong setting shows at start, and then leaves nothing open. */
  readonly start: (context: StartContext) => Promise<void> | void;
  /** Throws if the definition of the server is wrong, such as its routes. Called if the server itself does not start. */
  readonly verify?: () => void;
  /** Stops the service. Called once, and only after a successful `start`. */
  readonly stop: () => Promise<void> | void;
  /**
   * Begins work that can need any service of the run, such as claiming jobs. Called when all services have started, and
   * before the server starts. A throw fails the start and stops all services.
   */
  readonly ready?: (context: StartContext) => Promise<void> | void;
  /** Ends the work that `ready` began. Called for all services concurrently, before the first one stops. */
  readonly drain?: () => Promise<void> | void;
  /** Throws when the service cannot work at present. Called by readiness checks. Without it, a service is always ready. */
  readonly health?: () => Promise<void>;
  /** Checks the service for the command `doctor`. Called after `start`, except on the server, which `doctor` does not start. */
  readonly check?: (context: CheckContext) => Promise<readonly Finding[]> | readonly Finding[];
  /** Returns the metrics of the service. Called for each scrape: fast and without side effects. */
  readonly measure?: () => Promise<readonly Metric[]> | readonly Metric[];
  /**
   * Answers a request without a socket. Only the server, the service that the command `server` runs, has it. It starts last,
   * followed by the services that depend on it.
   */
  readonly fetch?: (request: globalThis.Request) => Promise<globalThis.Response>;
  /** Stack of the declaration, under the development server only: errors name its line. */
  readonly declaration?: Error;
}

/** Argument of `Service.make`. `Service` documents the properties. */
export type ServiceDefinition = Pick<Service, "name"> & Partial<Omit<Service, "name" | "declaration">>;

/**
 * Creates a service. Spread it into an object that adds operations of its own.
 *
 * @example
 * export const clock = { ...Service.make({ name: "clock" }), now: () => Time.now() };
 */
export function make(definition: ServiceDefinition): Service {
  const declaration = declarationStack();
  return {
    ...(declaration && { declaration }),
    implementation: definition.name,
    dependencies: () => [],
    configuration: [],
    commands: [],
    start: () => {},
    stop: () => {},
    ...definition,
  };
}
