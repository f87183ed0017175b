/** Headers of a request that identify its origin. */
export interface RequestOrigin {
  readonly method: string;
  /** The `Sec-Fetch-Site` header (W3C Fetch Metadata). */
  readonly site: string | undefined;
  /** The `Origin` header (RFC 6454 §7). */
  readonly origin: string | undefined;
  /** The `Host` header, or `:authority` in HTTP/2. */
  readonly host: string | undefined;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns true if a method is safe and needs no CSRF check (RFC 9110 §9.2.1). TRACE is never served. */
export function isSafeMethod(method: string): boolean {
  return safeMethods.has(method);
}

/**
 * Returns true if the browser's headers show that another site sent the request.
 *
 * `Sec-Fetch-Site` takes precedence: only `same-origin` and `none` (a request that the user started) are accepted, and
 * not another host of the same site. Without it, `Origin` must name this host. Without both, the request does not come
 * from a current browser, and the token decides. A trusted origin is never cross-site.
 */
export function isCrossSite(request: RequestOrigin, trustedOrigins: ReadonlySet<string>): boolean {
  if (isSafeMethod(request.method)) return false;
  if (request.site === "same-origin" || request.site === "none") return false;
  if (request.site === undefined && request.origin === undefined) return false;
  if (request.origin !== undefined && trustedOrigins.has(request.origin)) return false;
  return request.site !== undefined || !isOriginOfHost(request.origin ?? "", request.host);
}

// The scheme is not compared: it is unknown behind a proxy that terminates TLS, and an attacker cannot use this host.
function isOriginOfHost(origin: string, host: string | undefined): boolean {
  const separator = origin.indexOf("://");
  return (
    separator > 0 &&
    host !== undefined &&
    host !== "" &&
    origin.slice(separator + 3).toLowerCase() === host.toLowerCase()
  );
}
