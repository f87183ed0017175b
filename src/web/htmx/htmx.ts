import type { Html } from "../../html/index.ts";
import { checkRedirect, type Request, Response, type ResponseInit } from "../../http/message/index.ts";

/** Returns true if HTMX sent the request. */
export function isHtmx(request: Request): boolean {
  return request.header("hx-request") === "true";
}

/**
 * Returns true if HTMX expects a fragment of a page. HTMX 4 says so in `HX-Request-Type`. HTMX 2 expects a page for a
 * boosted link, and for a history entry that its cache lacks.
 */
export function wantsFragment(request: Request): boolean {
  if (!isHtmx(request)) return false;
  const type = request.header("hx-request-type");
  if (type !== undefined) return type === "partial";
  return request.header("hx-boosted") !== "true" && request.header("hx-history-restore-request") !== "true";
}

/** Returns the `id` of the target element of the swap. */
export function target(request: Request): string | undefined {
  return isHtmx4(request) ? idOf(request.header("hx-target")) : decodedHeader(request, "hx-target");
}

/** Returns the `id` of the element that triggered the request: `HX-Trigger` of HTMX 2, `HX-Source` of HTMX 4. */
export function trigger(request: Request): string | undefined {
  return isHtmx4(request) ? idOf(request.header("hx-source")) : decodedHeader(request, "hx-trigger");
}

/** Returns the user's response to `hx-prompt`, which HTMX 4 has in its extension `hx-prompt`. */
export function prompt(request: Request): string | undefined {
  return isHtmx4(request) ? decoded(request.header("hx-prompt")) : decodedHeader(request, "hx-prompt");
}

/** Returns the current URL of the browser. The client controls it: never redirect there. */
export function currentUrl(request: Request): string | undefined {
  return decodedHeader(request, "hx-current-url");
}

/**
 * Returns the content alone if HTMX expects a fragment, otherwise the full page. `Vary` names the headers that decide.
 *
 * @example
 * Web.get("/todos", async (request) =>
 *   Web.Htmx.page(request, await list(), (content) => layout(request, content)),
 * );
 */
export function page(request: Request, content: Html, layout: (content: Html) => Html, init?: ResponseInit): Response {
  const response = Response.html(wantsFragment(request) ? content : layout(content), init);
  return response.withAddedHeader("vary", "hx-request, hx-request-type, hx-boosted, hx-history-restore-request");
}

/** Redirects with a full page load: HTMX itself would follow a redirect by status. @throws E_REDIRECT_EXTERNAL */
export function redirect(to: string): Response {
  return Response.empty().withHeader("hx-redirect", checkRedirect(to, false));
}

/** Makes the browser reload the page. */
export function refresh(): Response {
  return Response.empty().withHeader("hx-refresh", "true");
}

/** Values of the `HX-…` response headers of HTMX. */
export interface Instructions {
  /** Path to push into the browser history. */
  readonly pushUrl?: string;
  /** Path that replaces the current one in the address bar. */
  readonly replaceUrl?: string;
  /** CSS selector of the element that receives the content, instead of the request's target. */
  readonly retarget?: string;
  /** Swap style: `outerHTML`, `beforeend`, … */
  readonly reswap?: string;
  /** CSS selector of the part of the response that is swapped in. */
  readonly reselect?: string;
  /** Events to trigger on the page, by name, each with its detail: before the swap in HTMX 2, after it in HTMX 4. */
  readonly trigger?: Readonly<Record<string, unknown>>;
  /** Events to trigger after the swap. HTMX 4 ignores them: use `trigger` there. */
  readonly triggerAfterSwap?: Readonly<Record<string, unknown>>;
  /** Events to trigger after the settle step. HTMX 4 ignores them: use `trigger` there. */
  readonly triggerAfterSettle?: Readonly<Record<string, unknown>>;
}

/**
 * Adds `HX-…` headers to a response.
 *
 * @throws E_REDIRECT_EXTERNAL for a URL outside this site, E_HEADER_INVALID for a selector beyond Latin-1.
 * @example
 * Web.Htmx.instruct(Web.Response.html(row(todo)), { retarget: "#todos", reswap: "beforeend", trigger: { added: todo.id } });
 */
export function instruct(response: Response, instructions: Instructions): Response {
  const { pushUrl, replaceUrl, retarget, reswap, reselect } = instructions;
  const headers: Readonly<Record<string, string | undefined>> = {
    "hx-push-url": pushUrl === undefined ? undefined : checkRedirect(pushUrl, false),
    "hx-replace-url": replaceUrl === undefined ? undefined : checkRedirect(replaceUrl, false),
    "hx-retarget": retarget,
    "hx-reswap": reswap,
    "hx-reselect": reselect,
    "hx-trigger": asciiJson(instructions.trigger),
    "hx-trigger-after-swap": asciiJson(instructions.triggerAfterSwap),
    "hx-trigger-after-settle": asciiJson(instructions.triggerAfterSettle),
  };
  return Object.entries(headers).reduce(
    (changed, [name, value]) => (value === undefined ? changed : changed.withHeader(name, value)),
    response,
  );
}

// A header value is limited to Latin-1. HTMX parses it as JSON, so escapes are safe.
function asciiJson(events: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (events === undefined) return undefined;
  return JSON.stringify(events).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// HTMX 4 sends both headers with each request, HTMX 2 neither.
const isHtmx4 = (request: Request): boolean =>
  request.header("hx-source") !== undefined || request.header("hx-request-type") !== undefined;

/** Returns the decoded `id` of an element that HTMX 4 describes as `tag#id`. */
function idOf(element: string | undefined): string | undefined {
  const id = element?.replace(/^[^#]*#?/, "");
  return id === "" ? undefined : decoded(id);
}

// HTMX 2 percent-encodes values that a header cannot hold, and marks them with a second header.
function decodedHeader(request: Request, name: string): string | undefined {
  const value = request.header(name);
  return request.header(`${name}-uri-autoencoded`) === "true" ? decoded(value) : value;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}
