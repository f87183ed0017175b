import { BlockList, isIP } from "node:net";
import type { HeaderList } from "../message/header-list.ts";

/**
 * Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted (`TRUSTED_PROXIES`). Default none.
 *
 * The headers count only on a connection from a trusted proxy. Of a list, only the last entry counts, which that proxy
 * wrote itself: the client can forge all entries before it.
 */
export class TrustedProxies {
  readonly #addresses = new BlockList();
  readonly #trustsSocket: boolean;
  /** True if no proxy is trusted. */
  readonly isEmpty: boolean;

  /**
   * @param list addresses and subnets (`10.0.0.0/8`), separated by commas; `unix` means a Unix socket
   */
  constructor(list: string) {
    const entries = parseEntries(list);
    this.isEmpty = entries.length === 0;
    this.#trustsSocket = entries.includes("unix");
    for (const entry of entries) {
      const [address = "", bits] = entry.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (entry === "unix") continue;
      if (bits === undefined) this.#addresses.addAddress(address, family);
      else this.#addresses.addSubnet(address, Number(bits), family);
    }
  }

  /** Returns the address of the client. `peer` is the remote address of the connection. */
  clientAddress(peer: string, headers: HeaderList): string {
    const address = unmapIpv4(peer);
    if (!this.#trusts(address)) return address;
    const forwardedFor = lastEntry(headers.get("x-forwarded-for"));
    return forwardedFor !== undefined && isIP(forwardedFor) !== 0 ? unmapIpv4(forwardedFor) : address;
  }

  /** Returns the scheme that the client used, for a connection without TLS. */
  scheme(peer: string, headers: HeaderList): "http" | "https" {
    if (!this.#trusts(unmapIpv4(peer))) return "http";
    return lastEntry(headers.get("x-forwarded-proto"))?.toLowerCase() === "https" ? "https" : "http";
  }

  #trusts(address: string): boolean {
    if (this.isEmpty) return false;
    return address === "" ? this.#trustsSocket : this.#addresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }
}

const parseEntries = (list: string): string[] =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const lastEntry = (list: string | undefined): string | undefined => list?.slice(list.lastIndexOf(",") + 1).trim();

/** Converts an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) to IPv4. */
const unmapIpv4 = (address: string): string =>
  address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address;

/** Returns the reason why a list is invalid; `undefined` for a valid list. */
export function trustedProxiesError(list: string): string | undefined {
  const isInvalid = parseEntries(list).some((entry) => {
    const [address = "", bits, ...rest] = entry.split("/");
    const maxBits = isIP(address) === 6 ? 128 : 32;
    const hasValidBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
    return entry !== "unix" && (isIP(address) === 0 || !hasValidBits || rest.length > 0);
  });
  return isInvalid ? "must list addresses, subnets such as 10.0.0.0/8, or unix" : undefined;
}
