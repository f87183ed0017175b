import type { Command } from "./command.ts";
import type { Environment } from "./environment.ts";
import type { Result } from "./result.ts";

/** One configuration key that a service reads, described so that it can be checked before anything starts. */
export interface ConfigurationField<T = unknown> {
  /** The name of the environment variable: `DATABASE_URL`. */
  readonly key: string;
  /** What the value is, for people: `string`, `whole number`, `true or false`, `one of error, warning, info, debug`. */
  readonly type: string;
  readonly description: string;
  /** Whether the application must not start without it in this environment. */
  readonly isRequired: (environment: Environment) => boolean;
  /** The value when the key is not set. */
  readonly default: (environment: Environment) => T;
  /** The value of a text, or what is wrong with it. The message never repeats a value that may be secret. */
  readonly parse: (text: string) => Result<T>;
}

/** What a service is given when it starts. */
export interface StartContext {
  /** All services that start in this run, in the order of their start. */
  readonly services: readonly Service[];
}

/** What a service found when it looked at itself. */
export interface Finding {
  /** `problem`: it cannot do its work, or must not. `warning`: it can, but not as well or as safely as it should. */
  readonly level: "ok" | "warning" | "problem";
  /** One sentence. */
  readonly message: string;
  /** What to do about it, in one sentence. */
  readonly advice?: string;
}

/** What a service is given when it looks at itself. */
export interface CheckContext {
  /** The environment to judge for: `production` on a machine of development asks whether all is ready to go there. */
  readonly environment: Environment;
}

/** A figure that a service gives of itself, for those who watch it run. */
export interface Measurement {
  /** As Prometheus names things: lower case, the base unit at the end (`_seconds`, `_bytes`), `_total` for a counter. */
  readonly name: string;
  /** `counter`: it only grows, from 0 at start. `gauge`: it goes up and down. */
  readonly type: "counter" | "gauge";
  /** One sentence: what it counts. */
  readonly help: string;
  /** One value for each set of labels. What labels stand for is bounded: names of the application, never what clients send. */
  readonly samples: readonly Sample[];
}

/** A value at present, and what it is the value of. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * A service is a value: what it is, what it needs, how it starts and stops, and, beside these, its own operations.
 *
 * Its identity is the value itself: the same value in two lists is one service, two values are two.
 */
export interface Service {
  /** What it is, unique within an application: `database`. */
  readonly name: string;
  /** Which implementation it is: `sqlite`. */
  readonly implementation: string;
  /** The services that must be started before it. A function, so that modules may refer to each other. */
  readonly dependencies: () => readonly Service[];
  readonly configuration: readonly ConfigurationField[];
  readonly commands: readonly Command[];
  /** Starts it. Throws when it cannot do its work, so that a wrong setting shows at start, and then leaves nothing open. */
  readonly start: (context: StartContext) => Promise<void> | void;
  /** Ends what `start` began. Called once, and only after a `start` that succeeded. */
  readonly stop: () => Promise<void> | void;
  /**
   * Called once all services of the run have started: begins what may need any of them, such as working a queue. Throws
   * as `start` does; all are stopped then.
   */
  readonly ready?: (context: StartContext) => Promise<void> | void;
  /**
   * Called when the services of a run are to stop, of all that have it at the same time, and before the first one stops:
   * ends what `ready` began, or would have begun.
   */
  readonly drain?: () => Promise<void> | void;
  /** Throws when it cannot do its work at present. Asked by readiness checks; absent means always ready. */
  readonly health?: () => Promise<void>;
  /** Looks at itself, for the command `doctor`: called when it has started, but for the server, which is not started then. */
  readonly check?: (context: CheckContext) => Promise<readonly Finding[]> | readonly Finding[];
  /** Measures itself, each time that somebody reads the metrics: quickly, and without changing anything. */
  readonly measure?: () => Promise<readonly Measurement[]> | readonly Measurement[];
  /** Present on the one service that the `server` command waits for: answers a request without a socket. */
  readonly fetch?: (request: globalThis.Request) => Promise<globalThis.Response>;
}

/** What `Service.make` is given; see `Service` for each property. */
export interface ServiceDefinition {
  readonly name: string;
  readonly implementation?: string;
  readonly dependencies?: () => readonly Service[];
  readonly configuration?: readonly ConfigurationField[];
  readonly commands?: readonly Command[];
  readonly start?: Service["start"];
  readonly stop?: Service["stop"];
  readonly ready?: NonNullable<Service["ready"]>;
  readonly drain?: NonNullable<Service["drain"]>;
  readonly health?: () => Promise<void>;
  readonly check?: (context: CheckContext) => Promise<readonly Finding[]> | readonly Finding[];
  readonly measure?: () => Promise<readonly Measurement[]> | readonly Measurement[];
  readonly fetch?: (request: globalThis.Request) => Promise<globalThis.Response>;
}

/**
 * Makes a service value. Spread it into the operations of a service of your own.
 *
 * @example
 * export const clock = { ...Service.make({ name: "clock" }), now: () => Time.now() };
 */
export function make(definition: ServiceDefinition): Service {
  return {
    implementation: definition.name,
    dependencies: () => [],
    configuration: [],
    commands: [],
    start: () => {},
    stop: () => {},
    ...definition,
  };
}
