import type { Request, Response } from "../../http/message/index.ts";
import { FlashState, flashMessages } from "./flash-state.ts";

/**
 * A message that the previous response left under a key, or `undefined`.
 *
 * A message is for one page: the one that asks for it first. Requests that do not ask, those of scripts and images in
 * the background, leave it alone.
 *
 * @throws E_FLASH_MISSING when the route runs without the flash middleware
 */
export function find(key: string, request: Request): string | undefined {
  return FlashState.of(request).messages.get(key);
}

/** The good news that the previous response left, or `undefined`. @throws E_FLASH_MISSING */
export function notice(request: Request): string | undefined {
  return find("notice", request);
}

/** The bad news that the previous response left, or `undefined`. @throws E_FLASH_MISSING */
export function alert(request: Request): string | undefined {
  return find("alert", request);
}

/**
 * Leaves messages for the next page, beside those that the response has already.
 *
 * They travel in a cookie that its owner can read. Messages that do not fit into it, about 2,900 bytes in all, make the
 * request fail with E_FLASH_TOO_LARGE.
 */
export function set(pairs: Iterable<readonly [key: string, message: string]>, response: Response): Response {
  return response.withSlot(flashMessages, new Map([...(response.slot(flashMessages) ?? []), ...pairs]));
}

/**
 * Leaves good news for the next page.
 *
 * @example
 * return Web.Flash.setNotice("Saved", Web.Response.redirect("/todos"));
 */
export function setNotice(text: string, response: Response): Response {
  return set([["notice", text]], response);
}

/** Leaves bad news for the next page. */
export function setAlert(text: string, response: Response): Response {
  return set([["alert", text]], response);
}

/**
 * Adds messages for the page that answers this very request, as a form that is shown again does.
 *
 * @throws E_FLASH_MISSING
 */
export function now(pairs: Iterable<readonly [key: string, message: string]>, request: Request): void {
  FlashState.of(request).add(pairs);
}

/** For handlers that will leave messages: @throws E_FLASH_MISSING when the route runs without the flash middleware. */
export function demand(request: Request): void {
  FlashState.of(request);
}
