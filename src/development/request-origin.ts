import type { IncomingMessage } from "node:http";

/** Returns true if `Origin` is this host, with any scheme: a proxy may terminate TLS. */
export function isFromThisOrigin({ headers: { host, origin } }: IncomingMessage): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * Returns true if the browser's headers show that another site, or another port of this host, has caused the request.
 * `Sec-Fetch-Site` takes precedence: a page with `Referrer-Policy: no-referrer` sends `Origin: null`. A request without both
 * headers comes from no current browser.
 */
export function isFromOtherOrigin(incoming: IncomingMessage): boolean {
  const { origin, "sec-fetch-site": site } = incoming.headers;
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && !isFromThisOrigin(incoming);
}
