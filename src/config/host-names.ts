import { isIP } from "node:net";
import type { ConfigurationField } from "../core/index.ts";
import { splitList, string } from "./field.ts";
import { read, readString } from "./read.ts";
import { environment } from "./sources.ts";

/** Returns true if a server answers requests for this host: a name or an address without port, in lower case. */
export type HostMatcher = (name: string) => boolean;

/** Field of the key `ALLOWED_HOSTS`. */
export const allowedHostsField: ConfigurationField<string> = string("ALLOWED_HOSTS", {
  description:
    "host names that requests may come for, such as example.com,*.example.com; empty allows HOST, in production all; localhost is always allowed outside production",
  default: "",
  validate: hostNamesError,
});

/**
 * Returns the hosts that a server on `address` answers: those of `ALLOWED_HOSTS`. With an empty list, production answers all
 * hosts. Every other environment also answers loopback names, and with an empty list `address`, but no other names: in a
 * browser, any site can resolve its own name to the loopback address (DNS rebinding) and read the pages of a development server.
 *
 * @throws E_CONFIGURATION_INVALID
 */
export function allowedHosts(address: string): HostMatcher {
  const list = read(allowedHostsField);
  if (environment() === "production") return matchHostNames(list);
  if (list !== "") {
    const isListed = matchHostNames(list);
    return (name) => isListed(name) || isLoopback(withoutTrailingDot(name));
  }
  // The development server is a proxy of the application and has its own address.
  const addresses = [address, readString("DEVELOPMENT_HOST") ?? address].map(canonicalHost);
  const answersAllAddresses = addresses.some((host) => host === "0.0.0.0" || host === "[::]");
  return (name) => {
    const host = withoutTrailingDot(name);
    return isLoopback(host) || addresses.includes(host) || (answersAllAddresses && isAddress(host));
  };
}

/** Parses host names, separated by commas. `*.example.com` matches all names below it, an empty list all hosts. */
export function matchHostNames(list: string): HostMatcher {
  const entries = splitList(list.toLowerCase());
  if (entries.length === 0) return () => true;
  const names = new Set(entries);
  const suffixes = entries.filter((entry) => entry.startsWith("*.")).map((entry) => entry.slice(1));
  return (name) => {
    const host = withoutTrailingDot(name);
    return names.has(host) || suffixes.some((suffix) => host.endsWith(suffix));
  };
}

/** Returns the reason why a list of host names is invalid; `undefined` for a valid list. */
export function hostNamesError(list: string): string | undefined {
  const isValid = splitList(list).every((entry) => /^(?:\*\.)?[a-z\d._-]+$|^\[[\da-f:.]+\]$/i.test(entry));
  return isValid ? undefined : "must list host names, such as example.com or *.example.com";
}

/** Returns the name in a `Host` header, without port and in lower case. */
export const hostNameOf = (header: string): string => header.replace(/:\d+$/, "").toLowerCase();

/** Returns true for `localhost`, names below it (RFC 6761 §6.3), 127.0.0.0/8 and `::1`, with or without brackets. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || /^127(?:\.\d{1,3}){3}$|^(?:::1|\[::1\])$/.test(host);
}

const withoutTrailingDot = (name: string): string => (name.endsWith(".") ? name.slice(0, -1) : name);

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, "")) !== 0;

/** Returns a host as browsers write it in a `Host` header: IPv6 in brackets, in its shortest form. */
function canonicalHost(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}
