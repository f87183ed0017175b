import type { Result } from "./result.ts";

/** Environments that `FRAMEWORK_ENV` can name. */
export type Environment = "development" | "test" | "production";

/** All environments, in the order in which messages list them. */
export const environments: readonly Environment[] = ["development", "test", "production"];

/** Description of one configuration key that a service reads. It is checked before any service starts. */
export interface ConfigurationField<T = unknown> {
  /** Name of the environment variable: `DATABASE_URL`. */
  readonly key: string;
  /** Type of the value, for people: `string`, `whole number`, `true or false`, `one of error, warning, info, debug`. */
  readonly type: string;
  readonly description: string;
  /** Returns true if the application must not start without the key in this environment. */
  readonly isRequired: (environment: Environment) => boolean;
  /** Returns the value to use when the key is not set. */
  readonly default: (environment: Environment) => T;
  /** Parses a text. The error message never repeats the text, which may be secret. */
  readonly parse: (text: string) => Result<T>;
}
