/** URL that replaces one with an unsafe scheme. It leads to an error page of the browser. */
export const refusedUrl = "about:invalid#refused";

const safeSchemes = new Set(["http", "https", "mailto", "tel", "sms", "geo", "xmpp", "webcal", "ftp"]);

// Browsers skip tabs and line ends anywhere in a URL, and control characters and blanks before it (WHATWG URL, 4.4).
// eslint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
const ignoredCharacters = /^[\u0000-\u0020]+|[\t\n\r]+/g;
const schemePattern = /^([a-z][a-z0-9+.-]*):/i;
const imageDataUrl = /^data:image\/(?:png|gif|jpeg|webp|avif);base64,[a-z0-9+/=]*$/i;

/** Returns the scheme of a URL as a browser reads it, in lower case, or `undefined` if it has none. */
export function schemeOf(url: string): string | undefined {
  return schemePattern.exec(url.replace(ignoredCharacters, ""))?.[1]?.toLowerCase();
}

/**
 * Returns the URL if its scheme is safe, otherwise `about:invalid#refused`.
 *
 * Safe schemes are `http`, `https`, `mailto`, `tel`, `sms`, `geo`, `xmpp`, `webcal` and `ftp`. `javascript:`,
 * `vbscript:` and `data:` are refused. Images as `data:image/png;base64,…` (also gif, jpeg, webp, avif) are allowed.
 */
export function safeUrl(url: string): string {
  if (!url.includes(":")) return url;
  const scheme = schemeOf(url);
  return scheme === undefined || safeSchemes.has(scheme) || imageDataUrl.test(url) ? url : refusedUrl;
}

/** Encodes the colons of a later part of a URL that could end its scheme. */
export function encodeSchemeColon(part: string): string {
  return part.replace(/^[^/?#]*/, (start) => start.replaceAll(":", "%3A"));
}

/** Returns the list of a `srcset` attribute with each unsafe URL replaced. */
export function safeSrcset(list: string): string {
  // A URL ends at white space. One that ends in a comma ends its candidate, otherwise its descriptors follow (HTML, 2.4.7).
  return list.replace(/([^\s,]\S*)((?<=,)|[^,]*)/g, (_, text: string, descriptors: string) => {
    let end = text.length;
    while (text[end - 1] === ",") end -= 1;
    return safeUrl(text.slice(0, end)) + text.slice(end) + descriptors;
  });
}
