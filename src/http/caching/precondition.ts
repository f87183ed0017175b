import type { Request } from "../message/request.ts";
import { isListed, matchesStrongly, parseEntityTags } from "./entity-tag.ts";
import { parseHttpDate } from "./http-date.ts";

/** What tells one version of a content from another. */
export interface Validators {
  /** Its entity tag. */
  readonly tag: string;
  /** When it was last changed, in milliseconds since 1970. */
  readonly modified: number;
}

/** How a conditional GET goes on: with the content, with 304, or with 412. */
export type Outcome = "proceed" | "not-modified" | "failed";

/**
 * What the conditions of a GET or HEAD request come to, in the order of RFC 9110 §13.2.2: `If-Match` before
 * `If-Unmodified-Since`, and `If-None-Match` before `If-Modified-Since`; the later of each pair counts only without the
 * earlier. A malformed header counts as absent.
 */
export function evaluateConditions(request: Request, { tag, modified }: Validators): Outcome {
  const match = request.header("if-match");
  const unmodifiedSince = match === undefined ? dateOf(request, "if-unmodified-since") : undefined;
  if (match !== undefined && !isAmong(match, tag)) return "failed";
  if (unmodifiedSince !== undefined && wholeSeconds(modified) > unmodifiedSince) return "failed";

  const noneMatch = request.header("if-none-match");
  if (noneMatch !== undefined) return isListed(noneMatch, tag) ? "not-modified" : "proceed";
  const modifiedSince = dateOf(request, "if-modified-since");
  return modifiedSince !== undefined && wholeSeconds(modified) <= modifiedSince ? "not-modified" : "proceed";
}

/** Whether `If-Range` is absent or names this version, so that a part of it completes what the client has (§13.1.5). */
export function isRangeValid(request: Request, { tag, modified }: Validators): boolean {
  const given = request.header("if-range");
  if (given === undefined) return true;
  return matchesStrongly(given, tag) || parseHttpDate(given) === wholeSeconds(modified);
}

function isAmong(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || tags === undefined || tags.some((given) => matchesStrongly(given, tag));
}

function dateOf(request: Request, name: string): number | undefined {
  const text = request.header(name);
  return text === undefined ? undefined : parseHttpDate(text);
}

/** HTTP dates have no fractions. */
function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
