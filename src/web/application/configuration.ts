import { httpErrors } from "../../http/message/index.ts";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { sampleSecrets } from "../../config/internal.ts";
import {
  type Address,
  Hosts,
  problemOfHosts,
  problemOfProxies,
  Proxies,
  type ServerSettings,
  type TlsFiles,
} from "../../http/server/index.ts";

const settings = Configuration.group({
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
    description: "path of a Unix socket that the HTTP server listens on, in place of HOST and PORT",
    default: "",
  }),
  prefix: Configuration.string("PREFIX_PATH", {
    description: "path that stands before every path of the application, such as /shop",
    default: "",
    validate: (prefix) =>
      /^\/?$|^(?:\/[\w.~-]+)+$/.test(prefix) ? undefined : "must start with a slash and not end with one",
  }),
  hosts: Configuration.string("ALLOWED_HOSTS", {
    description: "host names that requests may come for, such as example.com,*.example.com; empty allows all",
    default: "",
    validate: problemOfHosts,
  }),
  proxies: Configuration.string("TRUSTED_PROXIES", {
    description: "addresses of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed",
    default: "",
    validate: problemOfProxies,
  }),
  certificate: Configuration.string("TLS_CERT", {
    description: "PEM file of the certificate and its chain; with TLS_KEY, the server speaks https and HTTP/2",
    default: "",
  }),
  key: Configuration.string("TLS_KEY", { description: "PEM file of the certificate's private key", default: "" }),
});

/** What the HTTP service reads. */
export const httpConfiguration: readonly ConfigurationField[] = settings.fields;

/**
 * Where the server is to listen.
 *
 * @throws E_HOST_UNPROTECTED when other machines could reach it while nobody has chosen an environment or a secret: what
 * then signs sessions is a text that everybody can read in the sources.
 */
export function configuredAddress(): Address {
  const { host, port, socket } = settings.read();
  if (socket !== "") return { host, port, socketPath: socket };
  if (!Configuration.isEnvironmentSet() && isSecretPublic() && !isLoopback(host))
    throw httpErrors.E_HOST_UNPROTECTED(host);
  return { host, port };
}

const isSecretPublic = (): boolean => sampleSecrets.includes(Configuration.readSecret());
const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(?:\.\d+){3}$/.test(host);

/** What stands before every path, without a trailing slash: empty, or `/shop`. */
export function configuredPrefix(): string {
  const { prefix } = settings.read();
  return prefix === "/" ? "" : prefix;
}

/** Returns the configured settings that all requests of a server share. */
export function configuredSettings(): ServerSettings {
  const { hosts, proxies } = settings.read();
  return { prefix: configuredPrefix(), hosts: new Hosts(hosts), proxies: new Proxies(proxies) };
}

/** A host name that requests may come for; `undefined` when they may come for any. */
export function firstAllowedHost(): string | undefined {
  const [first = ""] = settings.read().hosts.split(",");
  return first.trim().replace(/^\*/, "www") || undefined;
}

/** The files of TLS, or `undefined` when none is wanted. One without the other counts: starting tells what is wrong. */
export function configuredTls(): TlsFiles | undefined {
  const { certificate, key } = settings.read();
  return certificate === "" && key === "" ? undefined : { certificate, key };
}
