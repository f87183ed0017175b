import { Configuration } from "../../config/index.ts";
import { Time } from "../../time/index.ts";
import { FlashState } from "../flash/flash-state.ts";
import { type Handler, mapResponse } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { signedCookie } from "../session/signed-cookie.ts";
import { factory, type Factory } from "./factory.ts";

/** How messages are kept. */
export interface FlashOptions {
  /** The name of the cookie, without `__Host-`. Default `_flash`. */
  readonly name?: string;
  /** Whether the cookie is `Secure` and its name carries the prefix `__Host-`. Default: in production only. */
  readonly secure?: boolean;
  /** Milliseconds after which a message that no page has shown is forgotten. Default: 10 minutes. */
  readonly maxAge?: number;
}

/**
 * Carries messages from one response to the next page, for `Web.Flash`, in a signed cookie of their own.
 *
 * Throws E_FLASH_TOO_LARGE on the way out when the cookie's name and value exceed 4,096 bytes.
 */
export const flash: Factory<FlashOptions> = factory("flash", (options) => {
  const { name = "_flash", secure, maxAge = Time.minutes(10) } = options;
  const cookies = {
    plain: signedCookie("flash", name, false),
    secure: signedCookie("flash", name, true),
  };
  return (handler: Handler) => (request: Request) => {
    const isSecure = secure ?? Configuration.environment() === "production";
    const state = FlashState.open(request, isSecure ? cookies.secure : cookies.plain, maxAge);
    return mapResponse(handler(request), (response) => state.write(response));
  };
});
