import { Configuration, type ConfigurationField } from "../config/index.ts";
import type { Environment } from "../core/index.ts";

/** The configuration of a database service. */
export interface Settings {
  readonly fields: readonly ConfigurationField[];
  readonly read: () => {
    readonly url: string | undefined;
    readonly size: number;
    readonly skipDefault: boolean;
    readonly choose: string | undefined;
  };
}

/** What the fields are made from. */
export interface SettingsOptions {
  /** What the keys begin with: `DATABASE`. */
  readonly prefix: string;
  /** The URL as given in code; then the key is not read. */
  readonly url: string | undefined;
  /** The URL when neither is given. */
  readonly defaultUrl: ((environment: Environment) => string) | undefined;
  /** What a URL looks like, for the description. */
  readonly example: string;
}

/** The fields `DATABASE_URL`, `DATABASE_POOL_SIZE`, `DATABASE_SKIP_DEFAULT_POOL_CREATION` and `DATABASE_CHOOSE_POOL`. */
export function settings({ prefix, url, defaultUrl, example }: SettingsOptions): Settings {
  const skipKey = `${prefix}_SKIP_DEFAULT_POOL_CREATION`;
  const field = Configuration.secret(`${prefix}_URL`, {
    description: `where the database is, such as ${example}`,
    ...(defaultUrl === undefined ? {} : { default: defaultUrl }),
  });
  const urlField = {
    ...field,
    isRequired: () => defaultUrl === undefined && Configuration.readBool(skipKey) !== true,
  };
  const others = {
    size: Configuration.int(`${prefix}_POOL_SIZE`, {
      description: "how many connections a process opens at most",
      default: 10,
      min: 1,
      max: 10_000,
    }),
    skipDefault: Configuration.bool(skipKey, {
      description: "whether no pool is opened at start, because the application adds its own",
      default: false,
    }),
    choose: Configuration.string(`${prefix}_CHOOSE_POOL`, {
      description: "the name of the pool that is used when a call names none",
    }),
  };
  const group = Configuration.group(others);
  return {
    fields: url === undefined ? [urlField, ...group.fields] : group.fields,
    read: () => ({ url: url ?? Configuration.read(urlField), ...group.read() }),
  };
}
