/** What stands in the page for a URL that could run a script: it leads nowhere. */
export const refusedUrl = "about:invalid#refused";

const harmless = new Set(["http", "https", "mailto", "tel", "sms", "geo", "xmpp", "webcal", "ftp"]);

// Browsers skip tabs and line ends anywhere in a URL, and control characters and blanks before it (WHATWG URL, 4.4).
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const skipped = /^[\u0000-\u0020]+|[\t\n\r]+/g;
const scheme = /^([a-z][a-z0-9+.-]*):/i;
const pixels = /^data:image\/(?:png|gif|jpeg|webp|avif);base64,[a-z0-9+/=]*$/i;

/** The scheme of a URL as a browser reads it, in lower case; `undefined` when it has none. */
export function schemeOf(url: string): string | undefined {
  return scheme.exec(url.replace(skipped, ""))?.[1]?.toLowerCase();
}

/**
 * The URL, or `about:invalid#refused` when its scheme is none of `http`, `https`, `mailto`, `tel`, `sms`, `geo`,
 * `xmpp`, `webcal` and `ftp`; so `javascript:`, `vbscript:` and `data:` are refused, however they are disguised.
 * Pictures as `data:image/png;base64,…` (also gif, jpeg, webp, avif) are taken.
 */
export function safeUrl(url: string): string {
  if (!url.includes(":")) return url;
  const given = schemeOf(url);
  return given === undefined || harmless.has(given) || pixels.test(url) ? url : refusedUrl;
}

/** A later part of a URL whose scheme may not have ended yet: it cannot end it, its first colon is encoded. */
export function withoutScheme(part: string): string {
  return part.replace(/^[^/?#]*/, (start) => start.replaceAll(":", "%3A"));
}

/** The list of a `srcset` attribute, each of its URLs safe. */
export function safeSrcset(list: string): string {
  // A URL ends at white space; one that ends in a comma ends its candidate, otherwise its descriptors follow (HTML, 2.4.7).
  return list.replace(/([^\s,]\S*)((?<=,)|[^,]*)/g, (_, text: string, descriptors: string) => {
    let end = text.length;
    while (text[end - 1] === ",") end -= 1;
    return safeUrl(text.slice(0, end)) + text.slice(end) + descriptors;
  });
}
