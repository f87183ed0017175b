/** Format of a response, negotiated by `Accept`. */
export type ResponseFormat = "html" | "json";

/** Media range of an `Accept` header, or an offered media type, in lower case. */
interface MediaRange {
  /** `text/html`, `text/*` or any type. */
  readonly type: string;
  /** Parameters other than `q`, as in `level=1`. */
  readonly parameters: readonly string[];
  /** Weight from 0 to 1. An invalid one is 0. */
  readonly weight: number;
}

/**
 * Returns the offered media type that an `Accept` header prefers: the one with the highest weight, of equal ones the first.
 * The most specific range that matches an offer has its weight (RFC 9110 §12.5.1). Without a header it is the first offer.
 * Returns `undefined` if the header accepts none of them.
 */
export function preferredType<Offer extends string>(
  accept: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  if (accept === undefined || accept.trim() === "") return offers[0];
  const ranges = parseRanges(accept);
  let best: Offer | undefined;
  let bestWeight = 0;
  for (const offer of offers) {
    const weight = weightOf(parseRange(offer.toLowerCase()), ranges);
    if (weight > bestWeight) [best, bestWeight] = [offer, weight];
  }
  return best;
}

function weightOf(offer: MediaRange, ranges: readonly MediaRange[]): number {
  let weight = 0;
  let maxSpecificity = -1;
  for (const range of ranges) {
    const specificity = specificityFor(offer, range);
    if (specificity > maxSpecificity) [weight, maxSpecificity] = [range.weight, specificity];
  }
  return weight;
}

/** Returns how specific a range is that matches the offer: its parameters, then subtype, type; -1 if it does not match. */
function specificityFor(offer: MediaRange, { type, parameters }: MediaRange): number {
  if (type === "*/*") return 0;
  if (type.endsWith("/*")) return offer.type.startsWith(type.slice(0, -1)) ? 1 : -1;
  const isMatch = type === offer.type && parameters.every((parameter) => offer.parameters.includes(parameter));
  return isMatch ? 2 + parameters.length : -1;
}

/** Returns the format that an `Accept` header prefers, or the default one without a preference. */
export function preferredFormat(accept: string | undefined, defaultFormat: ResponseFormat = "html"): ResponseFormat {
  if (accept === undefined || !/json|html/i.test(accept)) return defaultFormat;
  // Fast path of browsers: `text/html` without `q` has weight 1, the maximum.
  if (/^text\/html(?:,|$)/.test(accept) && !/json/i.test(accept)) return "html";
  let html = 0;
  let json = 0;
  let any = 0;
  for (const { type, weight } of parseRanges(accept)) {
    if (type === "text/html" || type === "application/xhtml+xml") html = Math.max(html, weight);
    else if (type === "application/json" || /^application\/[^\s/]*\+json$/.test(type)) json = Math.max(json, weight);
    else if (type === "*/*") any = Math.max(any, weight);
  }
  if (json > html && json >= any) return "json";
  return html > json && html >= any ? "html" : defaultFormat;
}

// Commas and semicolons in quotes belong to a value.
const listItem = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const part = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g;

const parseRanges = (accept: string): readonly MediaRange[] =>
  (accept.toLowerCase().match(listItem) ?? []).map(parseRange);

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = (text.match(part) ?? []).map(normalizeParameter);
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return {
    type,
    parameters: parameters.filter((parameter) => !parameter.startsWith("q=")),
    weight: weight >= 0 && weight <= 1 ? weight : 0,
  };
}

/** Removes spaces and quotes: `level = "1"` → `level=1`. */
function normalizeParameter(text: string): string {
  const [name = "", ...value] = text.split("=");
  if (value.length === 0) return text.trim();
  return `${name.trim()}=${value.join("=").trim().replace(/^"|"$/g, "").trim()}`;
}
