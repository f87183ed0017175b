import { Configuration } from "../../config/index.ts";
import { Time } from "../../time/index.ts";
import { FlashState } from "../flash/flash-state.ts";
import { type Handler, mapResponse } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { signedCookie } from "../session/signed-cookie.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Options of the flash middleware. */
export interface FlashOptions {
  /** Name of the cookie, without `__Host-`. Default `_flash`. */
  readonly name?: string;
  /** True if the cookie is `Secure` and its name has the prefix `__Host-`. Default: in production only. */
  readonly secure?: boolean;
  /** Maximum age of an unread message, in milliseconds. Default 10 minutes. */
  readonly maxAgeMs?: number;
}

/**
 * Carries messages of `Web.Flash` from one response to the next page, in a separate signed cookie.
 *
 * Fails with E_FLASH_TOO_LARGE if the cookie exceeds 4,096 bytes with name and signature: it has space for 2,900 bytes
 * of content.
 */
export const flash: MiddlewareFactory<FlashOptions> = middlewareFactory("flash", (options) => {
  const { name = "_flash", secure, maxAgeMs = Time.minutes(10) } = options;
  const cookies = {
    plain: signedCookie("flash", name, false),
    secure: signedCookie("flash", name, true),
  };
  return (handler: Handler) => (request: Request) => {
    const isSecure = secure ?? Configuration.environment() === "production";
    const state = FlashState.open(request, isSecure ? cookies.secure : cookies.plain, maxAgeMs);
    return mapResponse(handler(request), (response) => state.write(response));
  };
});
