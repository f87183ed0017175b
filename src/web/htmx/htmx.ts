import type { Html } from "../../html/index.ts";
import { checkRedirect, type Request, Response, type ResponseInit } from "../../http/message/index.ts";

/** Whether HTMX sent the request. */
export function isHtmx(request: Request): boolean {
  return request.header("hx-request") === "true";
}

/**
 * Whether HTMX asks for a piece of a page. It asks for a whole one where it follows a boosted link, and where it restores
 * a page of its history that it has forgotten.
 */
export function wantsFragment(request: Request): boolean {
  return (
    isHtmx(request) &&
    request.header("hx-boosted") !== "true" &&
    request.header("hx-history-restore-request") !== "true"
  );
}

/** The `id` of the element that the answer goes into. */
export function target(request: Request): string | undefined {
  return decoded(request, "hx-target");
}

/** The `id` of the element that caused the request. */
export function trigger(request: Request): string | undefined {
  return decoded(request, "hx-trigger");
}

/** What the user answered to `hx-prompt`. */
export function prompt(request: Request): string | undefined {
  return decoded(request, "hx-prompt");
}

/** The address that the browser shows. The client's claim: never redirect there. */
export function currentUrl(request: Request): string | undefined {
  return decoded(request, "hx-current-url");
}

/**
 * The content alone for HTMX, and for everybody else the whole page around it.
 *
 * @example
 * Web.get("/todos", async (request) =>
 *   Web.Htmx.page(request, await list(), (content) => layout(request, content)),
 * );
 */
export function page(request: Request, content: Html, layout: (content: Html) => Html, init?: ResponseInit): Response {
  const answer = Response.html(wantsFragment(request) ? content : layout(content), init);
  return answer.withAddedHeader("vary", "hx-request");
}

/**
 * Sends the browser to another page of this site, with a full load: a redirect by status is followed by HTMX itself.
 *
 * @throws E_REDIRECT_EXTERNAL
 */
export function redirect(to: string): Response {
  return Response.empty().withHeader("hx-redirect", checkRedirect(to, false));
}

/** Makes the browser load the page again. */
export function refresh(): Response {
  return Response.empty().withHeader("hx-refresh", "true");
}

/** Where the browser's address changes to, how, and where the answer goes; see the headers `HX-…` of HTMX. */
export interface Instructions {
  /** Pushes this path into the history. */
  readonly pushUrl?: string;
  /** Shows this path in place of the current one. */
  readonly replaceUrl?: string;
  /** A CSS selector: the element that takes the answer instead of the one which asked. */
  readonly retarget?: string;
  /** How the answer is put in: `outerHTML`, `beforeend`, … */
  readonly reswap?: string;
  /** A CSS selector: the part of the answer that is put in. */
  readonly reselect?: string;
  /** Events for the page's scripts, by name, each with its detail. */
  readonly trigger?: Readonly<Record<string, unknown>>;
  /** The same, after the answer was put in. */
  readonly triggerAfterSwap?: Readonly<Record<string, unknown>>;
  /** The same, after the page has come to rest. */
  readonly triggerAfterSettle?: Readonly<Record<string, unknown>>;
}

/**
 * Gives HTMX instructions along with a response.
 *
 * @throws E_REDIRECT_EXTERNAL for an address that is no path of this site, E_HEADER_INVALID for a selector with
 * characters beyond Latin-1.
 * @example
 * Web.Htmx.instruct(Web.Response.html(row(todo)), { retarget: "#todos", reswap: "beforeend", trigger: { added: todo.id } });
 */
export function instruct(response: Response, instructions: Instructions): Response {
  return Object.entries(headersOf(instructions)).reduce(
    (changed, [name, value]) => (value === undefined ? changed : changed.withHeader(name, value)),
    response,
  );
}

function headersOf(instructions: Instructions): Readonly<Record<string, string | undefined>> {
  const { pushUrl, replaceUrl, retarget, reswap, reselect } = instructions;
  return {
    "hx-push-url": pushUrl === undefined ? undefined : checkRedirect(pushUrl, false),
    "hx-replace-url": replaceUrl === undefined ? undefined : checkRedirect(replaceUrl, false),
    "hx-retarget": retarget,
    "hx-reswap": reswap,
    "hx-reselect": reselect,
    "hx-trigger": asciiJson(instructions.trigger),
    "hx-trigger-after-swap": asciiJson(instructions.triggerAfterSwap),
    "hx-trigger-after-settle": asciiJson(instructions.triggerAfterSettle),
  };
}

// A header holds Latin-1 only, and HTMX parses what it reads as JSON.
function asciiJson(events: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (events === undefined) return undefined;
  return JSON.stringify(events).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// HTMX encodes what a header cannot hold, and says so in a second header.
function decoded(request: Request, name: string): string | undefined {
  const value = request.header(name);
  if (value === undefined || request.header(`${name}-uri-autoencoded`) !== "true") return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
