import { createHmac } from "node:crypto";
import { constantTimeEqual, Random } from "../../random/index.ts";
import { errors } from "../errors.ts";
import type { Middleware } from "../../http/router/index.ts";
import { describe, failure } from "../openapi/description.ts";
import { addErrorHeaders } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

/** Options of the basic authentication middleware. */
export interface BasicAuthOptions {
  /** Function that verifies a name and password, or the only valid pair. */
  readonly verify:
    | ((username: string, password: string) => boolean | Promise<boolean>)
    | { readonly username: string; readonly password: string };
  /** Name of the protected area, which browsers show in the login dialog. Default `Restricted`. */
  readonly realm?: string;
}

/**
 * Protects routes with HTTP basic authentication (RFC 7617), for tools and previews over https, not for user accounts.
 *
 * Refuses other requests with E_BASIC_AUTH (401). Failed attempts are not counted: list `requestLimit` before it.
 */
export function basicAuth({ verify, realm = "Restricted" }: BasicAuthOptions): Middleware {
  const verifyCredentials =
    typeof verify === "function" ? verify : constantTimeVerifier(verify.username, verify.password);
  const challenge = `Basic realm="${realm.replaceAll(/["\\]/g, "\\$&")}", charset="UTF-8"`;

  const middleware = withName("basicAuth", (handler) => async (request) => {
    const credentials = credentialsOf(request.header("authorization"));
    const isVerified =
      credentials !== undefined && (await verifyCredentials(credentials.username, credentials.password));
    if (isVerified) return await handler(request);
    addErrorHeaders(request, { "www-authenticate": challenge });
    throw errors.E_BASIC_AUTH();
  });
  return describe(middleware, {
    security: { name: "basic", scheme: { type: "http", scheme: "basic" } },
    responses: { 401: failure("Name and password are missing or wrong") },
  });
}

function credentialsOf(header: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^basic +([\w+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Returns a constant-time comparison: timing reveals neither a length nor which of the two values is wrong. */
function constantTimeVerifier(username: string, password: string): (username: string, password: string) => boolean {
  const key = Random.bytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const [expectedName, expectedPassword] = [digest(username), digest(password)];
  return (givenName, givenPassword) => {
    const isNameEqual = constantTimeEqual(digest(givenName), expectedName);
    const isPasswordEqual = constantTimeEqual(digest(givenPassword), expectedPassword);
    return isNameEqual && isPasswordEqual;
  };
}
