import { Time } from "../../time/index.ts";
import { FlashState } from "../flash/flash-state.ts";
import { mapResponse } from "../../http/router/index.ts";
import { cookieByEnvironment } from "../session/signed-cookie.ts";
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
 * Fails with E_FLASH_TOO_LARGE if the cookie exceeds 4,096 bytes with name and signature: 2,900 bytes of content fit.
 */
export const flash: MiddlewareFactory<FlashOptions> = middlewareFactory("flash", (options) => {
  const { name = "_flash", secure, maxAgeMs = Time.minutes(10) } = options;
  const cookie = cookieByEnvironment("flash", name, secure);
  return (handler) => (request) => {
    const state = new FlashState(request, cookie(), maxAgeMs);
    return mapResponse(handler(request), (response) => state.write(response));
  };
});
