import { hash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Request } from "../../http/message/index.ts";

/** Identifies a client by its IPv4 address, or the first 64 bits of IPv6, usually of one household (RFC 6177). */
export function byAddress(request: Request): string {
  return networkOf(request.ip);
}

/**
 * Identifies a client by a hash of the token in `Authorization` (`Bearer …` or `Token …`), or by address without one.
 *
 * Use it only behind a middleware that refuses unknown tokens: otherwise a client with random tokens is never limited.
 */
export function byToken(request: Request): string {
  const token = /^(?:bearer|token) +(\S+)$/i.exec(request.header("authorization") ?? "")?.[1];
  return token === undefined ? networkOf(request.ip) : `token ${hash("sha256", token, "base64url")}`;
}

/** Returns the network of an address that counts as one client. */
export function networkOf(ip: string): string {
  const [address = ""] = ip.split("%");
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  // A dotted quad at the end counts as two groups; only the first four groups are used.
  const length = front.length + back.length + (back.at(-1)?.includes(".") ? 1 : 0);
  const zeros = Array.from({ length: 8 - length }, () => "0");
  const groups = [...front, ...zeros, ...back].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
