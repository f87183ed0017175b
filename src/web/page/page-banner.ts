import { hash } from "node:crypto";
import type { Html } from "../../html/index.ts";
import { Key, type Request, type Response, type StreamBody } from "../../http/message/index.ts";
import { preventNotModified } from "../../http/caching/index.ts";
import { enterRequestLanguage } from "../middleware/language.ts";

const pageBanner: Key<(() => Html) | undefined> = new Key("banner");

/**
 * Sets a banner with a form that all HTML pages of a request show, error pages included, whatever their layout: no response of the
 * request is compressed or answered with 304 then. `undefined` removes it.
 */
export function setPageBanner(request: Request, render: (() => Html) | undefined): void {
  request.set(pageBanner, render);
  if (render !== undefined) preventNotModified(request);
}

/** Returns true if the pages of a request show a banner. */
export const hasPageBanner = (request: Request): boolean => request.get(pageBanner) !== undefined;

/** Adds the banner of a request to a page. Other responses, such as fragments, stay as they are. */
export function addPageBanner(request: Request, response: Response): Response {
  const render = request.get(pageBanner);
  if (render === undefined || !isHtml(response)) return response;
  const { body } = response;
  enterRequestLanguage(request);
  const banner = styleElement + render().toString();
  const changed =
    typeof body === "string"
      ? insertBanner(body, banner)
      : insertIntoStream(body instanceof Uint8Array ? [body] : (body as StreamBody), banner);
  if (changed === body) return response;
  const others = ["content-length", "etag"].reduce((left, name) => left.withoutHeader(name), response);
  return policyNames
    .reduce((left, name) => withPolicy(left, name), others.withHeader("cache-control", "no-store"))
    .withBody(changed);
}

function isHtml(response: Response): boolean {
  if (!/^\s*text\/html\s*(?:;|$)/i.test(response.header("content-type") ?? "")) return false;
  if (response.header("content-encoding") !== undefined) return false;
  if (/^\s*attachment\b/i.test(response.header("content-disposition") ?? "")) return false;
  const { body } = response;
  return typeof body === "string" || Symbol.asyncIterator in Object(body) || Symbol.iterator in Object(body);
}

// What precedes the body may contain the text of a tag: comments, scripts, the title and attributes are skipped.
const bodyTag =
  /<!--(?:-?>|[^]*?--!?>)|<(script|style|title|noscript)\b[^]*?<\/\1\s*>|<[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>/gi;

/** Returns the position after the tag that begins the body, or `undefined`. */
function findBody(html: string): number | undefined {
  for (const { 0: match, index } of html.matchAll(bodyTag)) {
    if (/^<body[\s/>]/i.test(match)) return index + match.length;
  }
  return undefined;
}

/** Returns true for the begin of a document, whose `body` tag may be left out. */
const isDocument = (html: string): boolean => /^(?:[\s\ufeff]|<!--(?:(?!-->)[^])*-->)*<(?:!doctype|html)\b/i.test(html);

/** Inserts a banner as the first element of the body; at the end of a page without its tag, which browsers read as the same. */
function insertBanner(html: string, banner: string): string {
  const index = findBody(html);
  if (index !== undefined) return html.slice(0, index) + banner + html.slice(index);
  return isDocument(html) ? html + banner : html;
}

/** Maximum number of characters before the body of a streamed page. */
const maxHeadLength = 65_536;

async function* insertIntoStream(body: StreamBody, banner: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let head: string | undefined = "";
  let isAtEnd = false;
  for await (const chunk of body) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    if (head === undefined) yield text;
    else {
      head += text;
      const isFound = findBody(head) !== undefined;
      if (!isFound && head.length < maxHeadLength) continue;
      isAtEnd = !isFound && isDocument(head);
      yield isFound ? insertBanner(head, banner) : head;
      head = undefined;
    }
  }
  const rest = decoder.decode();
  if (head !== undefined) yield insertBanner(head + rest, banner);
  else yield isAtEnd ? rest + banner : rest;
}

// Fixed, because a body may be a grid or a flex container of any kind. The space at the end keeps the page readable.
const bannerCss = `html{padding-block-end:12rem;scroll-padding-block-end:12rem}
#limmat-banner,#limmat-banner *{all:revert}
#limmat-banner{position:fixed;inset:auto 0 0;z-index:2147483647;box-sizing:border-box;max-block-size:50vh;overflow:auto;
display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1rem;margin:0;padding:.75rem 1rem;
border-block-start:3px solid #14202b;background:#ffd54a;color:#14202b;color-scheme:light;font:1rem/1.4 system-ui,sans-serif;
text-align:start;overflow-wrap:anywhere}
#limmat-banner p,#limmat-banner form{margin:0}
#limmat-banner p{flex:1 1 16rem}
#limmat-banner button{min-block-size:2.75rem;padding:.5rem 1rem;border:2px solid #14202b;border-radius:.4rem;
background:#14202b;color:#fff;font:inherit;font-weight:600;cursor:pointer}
#limmat-banner :focus-visible{outline:3px solid #14202b;outline-offset:3px}
@media(min-width:40rem){html{padding-block-end:5rem;scroll-padding-block-end:5rem}}`;
const styleElement = `<style>${bannerCss}</style>`;
const styleSource = `'sha256-${hash("sha256", bannerCss, "base64")}'`;

const policyNames = ["content-security-policy", "content-security-policy-report-only"];

/** Allows style and form of the banner in the policies of a page (CSP Level 3). */
function withPolicy(response: Response, name: string): Response {
  const policies = response.header(name);
  return policies === undefined ? response : response.withHeader(name, policies.split(",").map(allowBanner).join(","));
}

function allowBanner(policy: string): string {
  const directives = new Map<string, readonly string[]>();
  for (const text of policy.split(";")) {
    const [name = "", ...sources] = text.trim().split(/\s+/);
    // Of several directives of a name, the first counts.
    if (name !== "" && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  const allow = (directive: string, sources: readonly string[] | undefined, source: string): void => {
    if (sources === undefined || sources.includes(source)) return;
    directives.set(directive, [...sources.filter((other) => other.toLowerCase() !== "'none'"), source]);
  };
  const styleDirective = directives.has("style-src-elem") ? "style-src-elem" : "style-src";
  const styles = directives.get(styleDirective) ?? directives.get("default-src");
  // A hash would end the effect of 'unsafe-inline' for the styles of the page.
  const allowsInline =
    styles?.includes("'unsafe-inline'") === true && !styles.some((source) => /^'(?:nonce|sha\d+)-/i.test(source));
  if (!allowsInline) allow(styleDirective, styles, styleSource);
  allow("form-action", directives.get("form-action"), "'self'");
  return [...directives].map(([directive, sources]) => [directive, ...sources].join(" ")).join("; ");
}
