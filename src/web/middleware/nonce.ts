import { RandomInternals } from "../../random/index.ts";
import { preventNotModified } from "../../http/caching/index.ts";
import { Key, type Request } from "../../http/message/index.ts";

const nonceKey: Key<string> = new Key("nonce");

/**
 * Returns the nonce for inline scripts and styles of this page, which is new for each request (CSP Level 3 §2.3.1).
 *
 * The security headers allow a nonce only after a call of this function.
 *
 * @example
 * html`<script nonce="${Web.nonce(request)}">${html.json(data)}</script>`;
 */
export function nonce(request: Request): string {
  const existingNonce = request.get(nonceKey);
  if (existingNonce !== undefined) return existingNonce;
  const newNonce = RandomInternals.base64url(16);
  request.set(nonceKey, newNonce);
  preventNotModified(request);
  return newNonce;
}

/** Returns the nonce of a request if the page uses one. */
export function nonceOf(request: Request): string | undefined {
  return request.get(nonceKey);
}
