import { Key } from "../message/request-source.ts";
import type { Request } from "../message/request.ts";

/** Validators of one version of a content (RFC 9110 §8.8). */
export interface Validators {
  /** Entity tag. */
  readonly etag: string;
  /** Time of the last change, in milliseconds since 1970. */
  readonly lastModifiedMs: number;
}

/**
 * Evaluates the preconditions of GET and HEAD in the order of RFC 9110 §13.2.2. Entity tags take precedence over dates.
 * A malformed header counts as absent.
 */
export function evaluatePreconditions(
  request: Request,
  { etag, lastModifiedMs }: Validators,
): "proceed" | "not-modified" | "failed" {
  const ifMatch = request.header("if-match");
  const unmodifiedSince = ifMatch === undefined ? dateHeader(request, "if-unmodified-since") : undefined;
  if (ifMatch !== undefined && !matchesIfMatch(ifMatch, etag)) return "failed";
  if (unmodifiedSince !== undefined && truncateToSecond(lastModifiedMs) > unmodifiedSince) return "failed";

  const ifNoneMatch = request.header("if-none-match");
  if (ifNoneMatch !== undefined) return matchesIfNoneMatch(ifNoneMatch, etag) ? "not-modified" : "proceed";
  const modifiedSince = dateHeader(request, "if-modified-since");
  return modifiedSince !== undefined && truncateToSecond(lastModifiedMs) <= modifiedSince ? "not-modified" : "proceed";
}

/** Returns true if `If-Range` is absent or names this version, so that a range can be sent (RFC 9110 §13.1.5). */
export function isRangeValid(request: Request, { etag, lastModifiedMs }: Validators): boolean {
  const ifRange = request.header("if-range");
  if (ifRange === undefined) return true;
  return isStrongMatch(ifRange, etag) || parseHttpDate(ifRange) === truncateToSecond(lastModifiedMs);
}

function dateHeader(request: Request, name: string): number | undefined {
  const text = request.header(name);
  return text === undefined ? undefined : parseHttpDate(text);
}

/** Removes the fraction of a second, which HTTP dates do not have. */
const truncateToSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

const notModifiedPrevented: Key<true> = new Key("response must not be a 304");

/** Marks a request whose response contains a value of its own, such as a nonce or a token. It must not become a 304. */
export function preventNotModified(request: Request): void {
  request.set(notModifiedPrevented, true);
}

/** Returns true if the response must not become a 304, because a cached copy has other values in it. */
export const isNotModifiedPrevented = (request: Request): boolean => request.get(notModifiedPrevented) === true;

// The three formats that RFC 9110 §5.6.7 requires a recipient to accept. `Date.parse` accepts many others.
const dateFormats = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

/** Formats a time as an HTTP date, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export const formatHttpDate = (ms: number): string => new Date(ms).toUTCString();

/** Parses an HTTP date. Returns milliseconds since 1970, `undefined` for any other text. */
export function parseHttpDate(text: string): number | undefined {
  if (!dateFormats.some((format) => format.test(text))) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Parses `If-None-Match` or `If-Match`: `"*"` for a star, `undefined` for a malformed header, which counts as absent.
 * The list is not split at commas, which a tag may contain (RFC 9110 §8.8.3, §13.1.2).
 */
export function parseEntityTags(header: string): readonly string[] | "*" | undefined {
  if (header.trim() === "*") return "*";
  const tags: string[] = [];
  // White space is matched at two places only with a tag between them. Otherwise backtracking would take quadratic time.
  const pattern = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
  while (pattern.lastIndex < header.length) {
    const match = pattern.exec(header);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags.length === 0 ? undefined : tags;
}

/** Compares two tags weakly: true for the same content, whether a tag is weak or strong (RFC 9110 §8.8.3.2). */
export const isWeakMatch = (a: string, b: string): boolean => opaqueTag(a) === opaqueTag(b);

/** Compares two tags strongly: true for the same bytes, which requires two equal strong tags (RFC 9110 §8.8.3.2). */
export const isStrongMatch = (a: string, b: string): boolean => a === b && !a.startsWith("W/");

function matchesIfMatch(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || tags === undefined || tags.some((listedTag) => isStrongMatch(listedTag, tag));
}

/** Returns true if `If-None-Match` is a star or lists the tag, so that the response is a 304 (RFC 9110 §13.1.2). */
export function matchesIfNoneMatch(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || (tags?.some((listedTag) => isWeakMatch(listedTag, tag)) ?? false);
}

/** Returns true if the client has the content of this tag, and the response may be a 304. */
export function isUnchanged(request: Request, tag: string): boolean {
  const ifNoneMatch = request.header("if-none-match");
  return ifNoneMatch !== undefined && matchesIfNoneMatch(ifNoneMatch, tag) && !isNotModifiedPrevented(request);
}

const opaqueTag = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag);
