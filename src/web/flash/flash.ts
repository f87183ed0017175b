import type { Request, Response } from "../../http/message/index.ts";
import { flashMessages, flashMessagesOf } from "./flash-state.ts";

/**
 * Returns the message of the previous response under a key, or `undefined`.
 *
 * The first page that reads messages consumes them. Requests that do not read them, such as those for images or from
 * scripts, leave them in place. An error page of a request without the flash middleware has no messages.
 *
 * @throws E_FLASH_MISSING if the route runs without the flash middleware, except in an error page
 */
export function find(key: string, request: Request): string | undefined {
  return flashMessagesOf(request).get(key);
}

/** Returns the notice of the previous response, or `undefined`. @throws E_FLASH_MISSING */
export function notice(request: Request): string | undefined {
  return find("notice", request);
}

/** Returns the alert of the previous response, or `undefined`. @throws E_FLASH_MISSING */
export function alert(request: Request): string | undefined {
  return find("alert", request);
}

/**
 * Adds messages for the next page to a response.
 *
 * They are stored in a cookie that the client can read. It has at most 4,096 bytes with name and signature, which leaves
 * 2,900 bytes of content. The request fails with E_FLASH_TOO_LARGE if the messages do not fit.
 */
export function set(pairs: Iterable<readonly [key: string, message: string]>, response: Response): Response {
  return response.withValue(flashMessages, new Map([...(response.get(flashMessages) ?? []), ...pairs]));
}

/**
 * Sets the notice of the next page, for a success.
 *
 * @example
 * return Web.Flash.setNotice("Saved", Web.Response.redirect("/todos"));
 */
export function setNotice(text: string, response: Response): Response {
  return set([["notice", text]], response);
}

/** Sets the alert of the next page, for a failure. */
export function setAlert(text: string, response: Response): Response {
  return set([["alert", text]], response);
}
