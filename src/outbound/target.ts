import { isIP } from "node:net";
import { Configuration, type ConfigurationField, ConfigurationInternals } from "../config/index.ts";
import { isPublicAddress } from "./public-address.ts";

const { isLoopback, splitList } = ConfigurationInternals;

/** Field of the key `OUTBOUND_ALLOWED_ORIGINS`. A service that requests URLs of users lists it in its configuration. */
export const allowedOriginsField: ConfigurationField<string> = Configuration.string("OUTBOUND_ALLOWED_ORIGINS", {
  description:
    "origins that URLs of users may name although they have no https or no public address: http://localhost:4000",
  default: "",
  validate: (list) =>
    splitList(list).every((entry) => URL.parse(entry)?.origin === entry)
      ? undefined
      : "must list origins, such as http://localhost:4000, without paths, separated by commas",
});

/** Returns true if the configuration allows an origin without https or a public address. */
export const isAllowedOrigin = (url: URL): boolean =>
  splitList(Configuration.read(allowedOriginsField)).includes(url.origin);

/** Returns the host of a URL: a name or an address, IPv6 without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/**
 * Returns the problem of a URL that a user has typed, as a continuation of "The URL", or `undefined`. It must begin with
 * `https://`, have no user name and no password, and its host must not be a local name or address. A name is resolved for
 * each request only, because its addresses change.
 *
 * @example
 * Schema.string({ validate: (url) => Outbound.findUrlProblem(url) && "Please enter a public URL with https://" });
 */
export function findUrlProblem(text: string): string | undefined {
  // The parser reads every spelling of an IPv4 address, such as 0x7f.1 (WHATWG URL §3.5).
  const url = URL.parse(text);
  if (url === null) return "is invalid: write one such as https://example.com/events";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or a password";
  const isHttps = url.protocol === "https:";
  // A URL such as blob:https://example.com has that origin as well.
  if ((isHttps || url.protocol === "http:") && isAllowedOrigin(url)) return undefined;
  if (!isHttps) return "must begin with https://";
  const host = hostOf(url);
  const isLocal = isIP(host) === 0 ? isLoopback(host) : !isPublicAddress(host);
  return isLocal ? "must have a public host" : undefined;
}
