import type { IncomingMessage } from "node:http";

/** Reads the body of a request as text. Returns `undefined` for a larger or an incomplete one. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined; // The client has closed the connection.
  }
  return Buffer.concat(chunks).toString();
}

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
