import type { Request } from "../../http/message/index.ts";
import { errors } from "../errors.ts";

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);

/**
 * Returns true if a method is safe and needs no CSRF check (RFC 9110 §9.2.1, RFC 10008). Another site cannot send QUERY: no
 * form has the method, and for a script it needs a preflight (Fetch Standard §4.1). TRACE is never served.
 */
export const isSafeMethod = (method: string): boolean => safeMethods.has(method);

/**
 * Returns what the browser's headers say about the sender of a request: this site, another one, or nothing.
 *
 * `Sec-Fetch-Site` takes precedence: only `same-origin` and `none` (a request that the user started) are this site, and
 * not another host of the same site. Without it, `Origin` must name this host. A request without both does not come from a
 * current browser. A trusted origin counts as this site.
 */
export function senderOf(
  request: Pick<Request, "header">,
  trustedOrigins: ReadonlySet<string>,
): "this-site" | "other-site" | undefined {
  const site = request.header("sec-fetch-site");
  if (site === "same-origin" || site === "none") return "this-site";
  const origin = request.header("origin");
  if (origin === undefined) return site === undefined ? undefined : "other-site";
  const isSameOrigin = site === undefined && isOriginOfHost(origin, request.header("host"));
  return isSameOrigin || trustedOrigins.has(origin) ? "this-site" : "other-site";
}

// The scheme is not compared: it is unknown behind a proxy that terminates TLS, and an attacker cannot use this host.
function isOriginOfHost(origin: string, host: string | undefined): boolean {
  const separator = origin.indexOf("://");
  if (separator <= 0 || host === undefined || host === "") return false;
  return origin.slice(separator + 3).toLowerCase() === host.toLowerCase();
}

/** Returns a set of origins. @throws E_ORIGIN_INVALID for a text other than `scheme://host` or `scheme://host:port` */
export function originSet(origins: readonly string[]): ReadonlySet<string> {
  for (const origin of origins) {
    if (!/^https?:\/\//.test(origin) || URL.parse(origin)?.origin !== origin) throw errors.E_ORIGIN_INVALID(origin);
  }
  return new Set(origins);
}
