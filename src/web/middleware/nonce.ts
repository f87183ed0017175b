import { Random } from "../../random/index.ts";
import { markUnique } from "../../http/caching/index.ts";
import { Key, type Request } from "../../http/message/index.ts";

const nonceKey: Key<string> = new Key("nonce");

/**
 * The nonce that inline scripts and styles of this page must carry to run, new for each request (CSP Level 3 §2.3.1).
 *
 * The security headers allow it only when a page has asked for it.
 *
 * @example
 * html`<script nonce="${Web.nonce(request)}">${html.json(data)}</script>`;
 */
export function nonce(request: Request): string {
  const kept = request.get(nonceKey);
  if (kept !== undefined) return kept;
  const made = Random.base64url(16);
  request.set(nonceKey, made);
  markUnique(request);
  return made;
}

/** The nonce that a page has asked for, if one has. */
export function askedNonce(request: Request): string | undefined {
  return request.get(nonceKey);
}
