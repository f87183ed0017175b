/** What a request says of where it comes from. */
export interface Provenance {
  readonly method: string;
  /** The `Sec-Fetch-Site` header (W3C Fetch Metadata). */
  readonly site: string | undefined;
  /** The `Origin` header (RFC 6454 §7). */
  readonly origin: string | undefined;
  /** The `Host` header, or what stands for it in HTTP/2. */
  readonly host: string | undefined;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a method changes nothing, and so needs no proof (RFC 9110 §9.2.1). TRACE is never served. */
export function isSafeMethod(method: string): boolean {
  return safeMethods.has(method);
}

/**
 * Whether the browser's own headers say that another site sent the request.
 *
 * `Sec-Fetch-Site` decides when it is there: only `same-origin`, and `none` (the user typed or clicked it), are
 * ours; another host of the same site is not. Without it, an `Origin` must name this host. Without both, no
 * browser of this decade sent the request, or it is one that needs no proof; the token decides then. An origin
 * that is trusted is never foreign.
 */
export function isForeign(request: Provenance, trustedOrigins: ReadonlySet<string>): boolean {
  if (isSafeMethod(request.method)) return false;
  if (request.site === "same-origin" || request.site === "none") return false;
  if (request.site === undefined && request.origin === undefined) return false;
  if (request.origin !== undefined && trustedOrigins.has(request.origin)) return false;
  return request.site !== undefined || !isOriginOfHost(request.origin ?? "", request.host);
}

// The scheme is not compared: behind a proxy that ends TLS we do not know ours, and the host is what an attacker lacks.
function isOriginOfHost(origin: string, host: string | undefined): boolean {
  const separator = origin.indexOf("://");
  return (
    separator > 0 &&
    host !== undefined &&
    host !== "" &&
    origin.slice(separator + 3).toLowerCase() === host.toLowerCase()
  );
}
