import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** Where the server listens. */
export interface Address {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

const settings = Configuration.group({
  port: Configuration.int("PORT", {
    description: "port that the HTTP server listens on; 0 takes a free one",
    default: 3000,
    min: 0,
    max: 65_535,
  }),
  host: Configuration.string("HOST", {
    description: "address that the HTTP server listens on",
    default: (environment) => (environment === "production" ? "0.0.0.0" : "127.0.0.1"),
  }),
  prefix: Configuration.string("PREFIX_PATH", {
    description: "path that stands before every path of the application, such as /shop",
    default: "",
    validate: (prefix) =>
      /^\/?$|^(?:\/[\w.~-]+)+$/.test(prefix) ? undefined : "must start with a slash and not end with one",
  }),
});

/** What the HTTP service reads. */
export const httpConfiguration: readonly ConfigurationField[] = settings.fields;

/** Where the server is to listen. */
export function configuredAddress(): Address {
  return settings.read();
}

/** What stands before every path, without a trailing slash: empty, or `/shop`. */
export function configuredPrefix(): string {
  const { prefix } = settings.read();
  return prefix === "/" ? "" : prefix;
}
