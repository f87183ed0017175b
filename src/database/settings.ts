import { Configuration, type ConfigurationField } from "../config/index.ts";
import type { Environment } from "../core/index.ts";

/** Configuration of a database service. */
export interface DatabaseSettings {
  readonly fields: readonly ConfigurationField[];
  readonly read: () => {
    readonly url: string | undefined;
    readonly poolSize: number;
    readonly maxWaiting: number;
    readonly skipDefaultPool: boolean;
    readonly selectedPool: string | undefined;
  };
}

/** Options of `databaseSettings`. */
export interface DatabaseSettingsOptions {
  /** Prefix of the keys: `DATABASE`. */
  readonly prefix: string;
  /** URL that is set in code; if present, the URL's key is not read. */
  readonly url: string | undefined;
  /** Default of the URL's key. */
  readonly defaultUrl: ((environment: Environment) => string) | undefined;
  /** Example of a URL, for the description. */
  readonly exampleUrl: string;
}

/**
 * Creates the fields `DATABASE_URL`, `DATABASE_POOL_SIZE`, `DATABASE_POOL_WAITING`,
 * `DATABASE_SKIP_DEFAULT_POOL_CREATION` and `DATABASE_CHOOSE_POOL`.
 */
export function databaseSettings(options: DatabaseSettingsOptions): DatabaseSettings {
  const { prefix, url, defaultUrl, exampleUrl } = options;
  const skipKey = `${prefix}_SKIP_DEFAULT_POOL_CREATION`;
  const field = Configuration.secret(`${prefix}_URL`, {
    description: `URL of the database, such as ${exampleUrl}`,
    ...(defaultUrl === undefined ? {} : { default: defaultUrl }),
  });
  const urlField = {
    ...field,
    isRequired: () => defaultUrl === undefined && Configuration.readBool(skipKey) !== true,
  };
  const group = Configuration.group({
    poolSize: Configuration.int(`${prefix}_POOL_SIZE`, {
      description: "maximum number of connections that a process opens",
      default: 10,
      min: 1,
      max: 10_000,
    }),
    maxWaiting: Configuration.int(`${prefix}_POOL_WAITING`, {
      description: "maximum number of operations that wait for a connection; further ones fail at once",
      default: 10_000,
      min: 1,
      max: 1_000_000,
    }),
    skipDefaultPool: Configuration.bool(skipKey, {
      description: "true to open no pool at start, because the application adds its own pools",
      default: false,
    }),
    selectedPool: Configuration.string(`${prefix}_CHOOSE_POOL`, {
      description: "name of the pool for calls that name none",
    }),
  });
  return {
    fields: url === undefined ? [urlField, ...group.fields] : group.fields,
    read: () => ({ url: url ?? Configuration.read(urlField), ...group.read() }),
  };
}
