export { escape, json } from "./escape.ts";
export { html, type HtmlTag } from "./html.ts";
export type { HtmlValue } from "./print.ts";
export { type Html, isHtml, type SafeJson, unsafeHtml } from "./safe.ts";
export { type HtmlStream, isHtmlStream, type StreamValue } from "./stream.ts";
export { refusedUrl, safeUrl } from "./url.ts";
