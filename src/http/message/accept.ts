/** The kinds of answers that are negotiated. */
export type Kind = "html" | "json";

/**
 * Which kind an `Accept` header asks for (RFC 9110 §12.5.1).
 *
 * @param otherwise what it is when the header has no preference: absent, any type at all, or neither listed
 */
export function preferredKind(accept: string | undefined, otherwise: Kind = "html"): Kind {
  if (accept === undefined || !/json|html/i.test(accept)) return otherwise;
  // What browsers ask for pages with: nothing can be wished more than what stands there without a quality.
  if (/^text\/html(?:,|$)/.test(accept) && !/json/i.test(accept)) return "html";
  let html = 0;
  let json = 0;
  let any = 0;
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";");
    const name = type.trim().toLowerCase();
    const quality = qualityOf(parameters);
    if (name === "text/html" || name === "application/xhtml+xml") html = Math.max(html, quality);
    else if (name === "application/json" || /^application\/[^\s/]*\+json$/.test(name)) json = Math.max(json, quality);
    else if (name === "*/*") any = Math.max(any, quality);
  }
  if (json > html && json >= any) return "json";
  return html > json && html >= any ? "html" : otherwise;
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => /^\s*q\s*=/i.test(parameter));
  if (given === undefined) return 1;
  const quality = Number(given.slice(given.indexOf("=") + 1));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
