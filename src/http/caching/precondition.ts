import { Key } from "../message/key.ts";
import type { Request } from "../message/request.ts";
import { isStrongMatch, matchesIfNoneMatch, parseEntityTags } from "./entity-tag.ts";

/** Validators of one version of a content (RFC 9110 §8.8). */
export interface Validators {
  /** Entity tag. */
  readonly etag: string;
  /** Time of the last change, in milliseconds since 1970. */
  readonly lastModifiedMs: number;
}

/** Result of the preconditions of a GET: send the content, 304, or 412. */
export type PreconditionResult = "proceed" | "not-modified" | "failed";

/**
 * Evaluates the preconditions of a GET or HEAD request in the order of RFC 9110 §13.2.2.
 *
 * `If-Match` has precedence over `If-Unmodified-Since`, and `If-None-Match` over `If-Modified-Since`. A malformed header
 * counts as absent.
 */
export function evaluatePreconditions(request: Request, { etag, lastModifiedMs }: Validators): PreconditionResult {
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

function matchesIfMatch(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || tags === undefined || tags.some((listedTag) => isStrongMatch(listedTag, tag));
}

function dateHeader(request: Request, name: string): number | undefined {
  const text = request.header(name);
  return text === undefined ? undefined : parseHttpDate(text);
}

/** Removes the fraction of a second, which HTTP dates do not have. */
function truncateToSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

const notModifiedPrevented: Key<true> = new Key("response must not be a 304");

/** Marks a request whose response contains a value of its own, such as a nonce or a token. It must not become a 304. */
export function preventNotModified(request: Request): void {
  request.set(notModifiedPrevented, true);
}

/** Returns true if the response must not become a 304, because a cached copy has other values in it. */
export function isNotModifiedPrevented(request: Request): boolean {
  return request.get(notModifiedPrevented) === true;
}

// The three formats that RFC 9110 §5.6.7 requires a recipient to accept. `Date.parse` accepts many others.
const dateFormats = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

/** Formats a time as an HTTP date, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Parses an HTTP date. Returns milliseconds since 1970, `undefined` for any other text. */
export function parseHttpDate(text: string): number | undefined {
  if (!dateFormats.some((format) => format.test(text))) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
