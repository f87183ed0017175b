import { BlockList, isIP } from "node:net";
import type { HeaderList } from "../message/header-list.ts";

/**
 * The proxies whose word is taken: that a request came from the address which they add to `X-Forwarded-For`, by the
 * scheme in `X-Forwarded-Proto`.
 *
 * Only a connection from one of them counts, and of a list only the last entry, which that proxy wrote itself; all
 * before it may be made up by the client. None are trusted unless they are named.
 */
export class Proxies {
  readonly #trusted = new BlockList();
  readonly #trustsSocket: boolean;
  /** Whether none is trusted. */
  readonly isEmpty: boolean;

  /**
   * @param list addresses and subnets (`10.0.0.0/8`), separated by commas; `unix` stands for a Unix socket
   */
  constructor(list: string) {
    const entries = entriesOf(list);
    this.isEmpty = entries.length === 0;
    this.#trustsSocket = entries.includes("unix");
    for (const entry of entries) {
      const [address = "", bits] = entry.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (entry === "unix") continue;
      if (bits === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(bits), family);
    }
  }

  /** The address of the client, given that of the connection's other end. */
  clientAddress(peer: string, headers: HeaderList): string {
    const address = plain(peer);
    if (!this.#trusts(address)) return address;
    const last = lastOf(headers.get("x-forwarded-for"));
    return last !== undefined && isIP(last) !== 0 ? plain(last) : address;
  }

  /** The scheme that the client used, for a connection that is not encrypted itself. */
  scheme(peer: string, headers: HeaderList): "http" | "https" {
    if (!this.#trusts(plain(peer))) return "http";
    return lastOf(headers.get("x-forwarded-proto"))?.toLowerCase() === "https" ? "https" : "http";
  }

  #trusts(address: string): boolean {
    if (this.isEmpty) return false;
    return address === "" ? this.#trustsSocket : this.#trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }
}

const entriesOf = (list: string): string[] =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const lastOf = (list: string | undefined): string | undefined => list?.slice(list.lastIndexOf(",") + 1).trim();

/** An IPv4 address that came in over IPv6 (`::ffff:192.0.2.1`) is one and the same as without. */
const plain = (address: string): string =>
  address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address;

/** What is wrong with a list, or `undefined`. */
export function problemOfProxies(list: string): string | undefined {
  const wrong = entriesOf(list).some((entry) => {
    const [address = "", bits, ...rest] = entry.split("/");
    const size = isIP(address) === 6 ? 128 : 32;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= size);
    return entry !== "unix" && (isIP(address) === 0 || !isRange || rest.length > 0);
  });
  return wrong ? "must list addresses, subnets such as 10.0.0.0/8, or unix" : undefined;
}
