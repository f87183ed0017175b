import { httpErrors } from "../../http/message/index.ts";
import { Configuration, type ConfigurationField, ConfigurationInternals } from "../../config/index.ts";
import { allowedHosts, allowedHostsField, isLoopback, sampleSecrets, splitList } from "../../config/internal.ts";
import {
  type Address,
  AllowedHosts,
  serverField,
  type ServerSettings,
  type TlsFiles,
  TrustedProxies,
  trustedProxiesError,
} from "../../http/server/index.ts";
import { resolve } from "node:path";

const httpSettings = Configuration.group({
  port: Configuration.int("PORT", {
    description: "port that the HTTP server listens on; 0 takes a free one",
    default: 3000,
    min: 0,
    max: 65_535,
  }),
  host: Configuration.string("HOST", {
    description: "address that the HTTP server listens on; :: is every address, IPv4 and IPv6",
    default: (environment) => (environment === "production" ? "0.0.0.0" : "127.0.0.1"),
  }),
  socket: Configuration.string("SOCKET", {
    description: "path of a Unix socket that the HTTP server listens on, instead of HOST and PORT",
    default: "",
  }),
  prefix: Configuration.string("PREFIX_PATH", {
    description: "path prefix of every route of the application, such as /shop",
    default: "",
    validate: (prefix) =>
      /^\/?$|^(?:\/[\w.~-]+)+$/.test(prefix) ? undefined : "must start with a slash and not end with one",
  }),
  hosts: allowedHostsField,
  proxies: Configuration.string("TRUSTED_PROXIES", {
    description:
      "addresses of the proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Request-ID headers are trusted",
    default: "",
    validate: trustedProxiesError,
  }),
  certificate: Configuration.string("TLS_CERT", {
    description: "PEM file of the certificate and its chain; with TLS_KEY, the server speaks https and HTTP/2",
    default: "",
  }),
  key: Configuration.string("TLS_KEY", { description: "PEM file of the certificate's private key", default: "" }),
  server: serverField,
  maintenanceFile: Configuration.string("MAINTENANCE_FILE", {
    description: "file that exists while the site is in maintenance, from the root of the project",
    default: "tmp/maintenance.json",
  }),
});

const csrfSettings = Configuration.group({
  check: Configuration.bool("CHECK_CSRF", {
    description: "true to check CSRF tokens in development and test too; production always checks them",
    default: false,
  }),
});

const staticSettings = Configuration.group({
  directory: Configuration.string("PUBLIC_DIR", {
    description: "directory of the static files, from the root of the project",
    default: "public",
  }),
  prefix: Configuration.string("PUBLIC_URI_PREFIX", {
    description: "path under which the static files are served",
    default: "/assets",
    validate: (prefix) =>
      /^\/$|^(?:\/[\w~-][\w.~-]*)+$/.test(prefix)
        ? undefined
        : "must start with a slash, not end with one, and have no segment that begins with a dot",
  }),
});

/** Configuration fields of the HTTP service. */
export const httpConfiguration: readonly ConfigurationField[] = [
  ...httpSettings.fields,
  ...csrfSettings.fields,
  ...staticSettings.fields,
];

/**
 * Returns the address that the server listens on.
 *
 * @throws E_HOST_UNPROTECTED if other machines could reach a server that signs sessions with the public sample secret
 */
export function configuredAddress(): Address {
  const { host, port, socket } = httpSettings.read();
  if (socket !== "") return { host, port, socketPath: socket };
  if (!ConfigurationInternals.isEnvironmentSet() && isSecretPublic() && !isLoopback(host))
    throw httpErrors.E_HOST_UNPROTECTED(host);
  return { host, port };
}

const isSecretPublic = (): boolean => sampleSecrets.includes(Configuration.readSecret());

/** Returns the prefix of every path, without a trailing slash: empty, or `/shop`. */
export function configuredPrefix(): string {
  const { prefix } = httpSettings.read();
  return prefix === "/" ? "" : prefix;
}

/** Returns the configured settings that all requests of a server share. */
export function configuredSettings(): ServerSettings {
  const { host, proxies } = httpSettings.read();
  return {
    prefix: configuredPrefix(),
    allowedHosts: new AllowedHosts(allowedHosts(host)),
    trustedProxies: new TrustedProxies(proxies),
  };
}

/** Returns the first name of `ALLOWED_HOSTS`; `undefined` without one. */
export function firstAllowedHost(): string | undefined {
  const [first] = splitList(httpSettings.read().hosts);
  return first?.replace(/^\*/, "www");
}

/** Returns the TLS files, or `undefined` if none is configured. Starting the server reports an incomplete pair. */
export function configuredTls(): TlsFiles | undefined {
  const { certificate, key } = httpSettings.read();
  return certificate === "" && key === "" ? undefined : { certificate, key };
}

/**
 * Returns true if unsafe requests need a token. They do unless `FRAMEWORK_ENV` is exactly `development` or `test`, and
 * `CHECK_CSRF` is not true. A missing or misspelt environment keeps the check on.
 */
export function isCsrfCheckEnabled(): boolean {
  const environment = Configuration.environment();
  const isOptional =
    ConfigurationInternals.isEnvironmentSet() && (environment === "development" || environment === "test");
  return !isOptional || csrfSettings.read().check;
}

/** Returns the absolute path of the file that exists while the site is in maintenance. */
export const maintenanceFile = (): string =>
  resolve(ConfigurationInternals.root(), httpSettings.read().maintenanceFile);

/** Returns the absolute path of the public directory. */
export const publicDirectory = (): string => resolve(ConfigurationInternals.root(), staticSettings.read().directory);

/** Returns the path prefix of the static files: `/assets`. */
export const publicPrefix = (): string => staticSettings.read().prefix;
