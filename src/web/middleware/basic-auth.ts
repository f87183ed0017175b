import { createHmac, timingSafeEqual } from "node:crypto";
import { Random } from "../../random/index.ts";
import { errorResponse } from "../errors/error-page.ts";
import { errors } from "../errors.ts";
import { failureOf } from "../errors/failure.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { describe } from "../openapi/description.ts";
import type { Request } from "../../http/message/index.ts";
import { named } from "./factory.ts";

/** Who may come in. */
export interface BasicAuthOptions {
  /** Whether name and password are right; or the one name and password that are. */
  readonly verify:
    | ((username: string, password: string) => boolean | Promise<boolean>)
    | { readonly username: string; readonly password: string };
  /** What the browser shows when it asks: the name of what is protected. Default `Restricted`. */
  readonly realm?: string;
}

/**
 * Lets in who knows a name and a password, asked for by the browser itself (RFC 7617). For tools and previews, over
 * https; people who log in want a page of yours.
 *
 * Refuses everybody else with E_BASIC_AUTH (401). Failed attempts are not counted: list `requestLimit` before it.
 */
export function basicAuth({ verify, realm = "Restricted" }: BasicAuthOptions): Middleware {
  const isRight = typeof verify === "function" ? verify : isSameAs(verify.username, verify.password);
  const challenge = `Basic realm="${realm.replaceAll(/["\\]/g, "\\$&")}", charset="UTF-8"`;

  const refuse = (request: Request): HandlerResult =>
    errorResponse(request, { ...failureOf(errors.E_BASIC_AUTH()), headers: { "www-authenticate": challenge } });

  const middleware = named("basicAuth", (handler: Handler) => async (request: Request) => {
    const given = credentialsOf(request.header("authorization"));
    const isKnown = given !== undefined && (await isRight(given.username, given.password));
    return isKnown ? await handler(request) : refuse(request);
  });
  return describe(middleware, {
    security: { name: "basic", scheme: { type: "http", scheme: "basic" } },
    responses: { 401: "Name and password are missing or wrong" },
  });
}

function credentialsOf(header: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^basic +([\w+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Compares in a time that tells nothing, neither the length nor which of both was wrong. */
function isSameAs(username: string, password: string): (username: string, password: string) => boolean {
  const key = Random.bytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const [rightName, rightPassword] = [digest(username), digest(password)];
  return (givenName, givenPassword) => {
    const isName = timingSafeEqual(digest(givenName), rightName);
    const isPassword = timingSafeEqual(digest(givenPassword), rightPassword);
    return isName && isPassword;
  };
}
