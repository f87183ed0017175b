import { BlockList, isIP } from "node:net";
import { ConfigurationInternals } from "../../config/index.ts";
import { Log } from "../../log/index.ts";
import type { HeaderList } from "../message/header-list.ts";

const { splitList } = ConfigurationInternals;
const log = Log.source("limmat.http");

/**
 * Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Request-ID` headers are trusted (`TRUSTED_PROXIES`). Default
 * none.
 *
 * The headers count only on a connection from a trusted proxy. Each proxy appends the address of its client, so a list is
 * read from its end while the entries are trusted proxies: the client can forge all entries before them.
 */
export class TrustedProxies {
  readonly #networks: Networks;
  #hasWarned = false;
  /** True if no proxy is trusted. */
  readonly isEmpty: boolean;

  /**
   * @param list addresses and subnets (`10.0.0.0/8`), separated by commas; `unix` means a Unix socket
   */
  constructor(list: string) {
    this.#networks = new Networks(list);
    this.isEmpty = splitList(list).length === 0;
  }

  /** Returns true for a trusted proxy. `peer` is the remote address of a connection. */
  includes(peer: string): boolean {
    return !this.isEmpty && this.#networks.has(unmapIpv4(peer));
  }

  /** Returns the address of the client. `peer` is the remote address of the connection. */
  clientAddress(peer: string, headers: HeaderList): string {
    const address = unmapIpv4(peer);
    if (this.includes(address)) return this.#walk(address, headers).address;
    if (!this.#hasWarned && headers.get("x-forwarded-for") !== undefined) this.#warnOnce(address);
    return address;
  }

  /** Returns the scheme that the client used, for a connection without TLS. */
  scheme(peer: string, headers: HeaderList): "http" | "https" {
    if (!this.includes(peer)) return "http";
    const schemes = headers.get("x-forwarded-proto")?.split(",") ?? [];
    // Proxies that append write one entry each. A single entry is from the first proxy, and the others pass it on.
    const proxies = schemes.length > 1 ? this.#walk(unmapIpv4(peer), headers).proxies : 1;
    return schemes[Math.max(0, schemes.length - proxies)]?.trim().toLowerCase() === "https" ? "https" : "http";
  }

  /** Walks `X-Forwarded-For` from its end. Returns the first address that is no trusted proxy, and the number of proxies before it. */
  #walk(peer: string, headers: HeaderList): { readonly address: string; readonly proxies: number } {
    const list = headers.get("x-forwarded-for") ?? "";
    let address = peer;
    let proxies = 0;
    for (let end = list.length; end > 0 && this.includes(address);) {
      const comma = list.lastIndexOf(",", end - 1);
      const entry = addressOf(list.slice(comma + 1, end).trim());
      proxies += 1;
      // The proxy did not know the address: it is the last one that is known.
      if (entry === undefined) break;
      address = entry;
      end = comma;
    }
    return { address, proxies: Math.max(1, proxies) };
  }

  #warnOnce(address: string): void {
    if (!privateNetworks.has(address)) return;
    this.#hasWarned = true;
    log.warning(
      "A proxy that TRUSTED_PROXIES does not list forwards requests: all its clients count as one, for limits and locks as well. Add its address to TRUSTED_PROXIES",
      { address: address === "" ? "unix" : address },
    );
  }
}

/** Set of addresses and subnets. The empty address is a Unix socket, listed as `unix`. */
class Networks {
  readonly #addresses = new BlockList();
  readonly #hasSocket: boolean;

  constructor(list: string) {
    const entries = splitList(list);
    this.#hasSocket = entries.includes("unix");
    for (const entry of entries) {
      const [address = "", bits] = entry.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (entry === "unix") continue;
      if (bits === undefined) this.#addresses.addAddress(address, family);
      else this.#addresses.addSubnet(address, Number(bits), family);
    }
  }

  has(address: string): boolean {
    return address === "" ? this.#hasSocket : this.#addresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }
}

/** Addresses of proxies on this machine and in its networks: loopback, link-local and private (RFC 1918, 4193 and 6598). */
const privateNetworks = new Networks(
  "unix, 127.0.0.0/8, ::1, 169.254.0.0/16, fe80::/10, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7",
);

/** Returns the address of an entry: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`. */
function addressOf(entry: string): string | undefined {
  const [, bracketed, plain] = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$/i.exec(entry) ?? [];
  const address = bracketed ?? plain ?? entry;
  return isIP(address) === 0 ? undefined : unmapIpv4(address);
}

/** Converts an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) to IPv4. */
const unmapIpv4 = (address: string): string =>
  /^::ffff:[\d.]+$/i.test(address) ? address.slice("::ffff:".length) : address;

/** Returns the reason why a list is invalid; `undefined` for a valid list. */
export function trustedProxiesError(list: string): string | undefined {
  const isInvalid = splitList(list).some((entry) => {
    const [address = "", bits, ...rest] = entry.split("/");
    const maxBits = isIP(address) === 6 ? 128 : 32;
    const hasValidBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
    return entry !== "unix" && (isIP(address) === 0 || !hasValidBits || rest.length > 0);
  });
  return isInvalid ? "must list addresses, subnets such as 10.0.0.0/8, or unix" : undefined;
}
