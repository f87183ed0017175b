import { errors } from "../errors.ts";
import { hash } from "node:crypto";
import { isUnchanged, notModified, parseEntityTags } from "../../http/caching/index.ts";
import type { Request, Response } from "../../http/message/index.ts";

/**
 * Use of the `version` of items. By default, items that have a whole number as `version` have versions.
 *
 * - `true`: all items have one. The OpenAPI document describes it.
 * - `"optional"`: as `true`, but a change without a version is carried out as well, instead of 428.
 * - `false`: `version` is a property like others.
 */
export type Versions = boolean | "optional";

/** Functions on the versions of a resource's items. */
export interface ItemVersions {
  /** Returns the version of an item, or `undefined` if its items have none. @throws E_VERSION_INVALID */
  readonly of: (item: object) => number | undefined;
  /** True if a change without a version is refused with 428. */
  readonly areRequired: boolean;
}

/** Returns the functions on versions. A field `version` is a property that people edit. @throws E_RESOURCE_INVALID */
export function itemVersions(name: string, fields: readonly string[], versions: Versions | undefined): ItemVersions {
  if (versions !== undefined && versions !== false && fields.includes("version")) {
    throw errors.E_RESOURCE_INVALID(name, 'its schema has a field "version", so its items cannot have versions');
  }
  const areUsed = versions !== false && (versions !== undefined || !fields.includes("version"));
  return {
    of: (item) => {
      const version = areUsed ? (item as { readonly version?: unknown }).version : undefined;
      const isAbsent = versions === undefined && typeof version !== "number";
      if (!areUsed || isAbsent) return undefined;
      if (!isVersion(version)) throw errors.E_VERSION_INVALID(name, version);
      return version;
    },
    areRequired: versions !== "optional",
  };
}

/** Returns true for a version: a whole number from 0 to 2⁵³ − 1. */
export const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Adds the entity tag of an item's representation, and answers a safe request with 304 or 412 (RFC 9110 §13). The tag
 * is strong: the version, a mark of the item and a hash of the body, as one version has several representations. A
 * response without a body has the version alone.
 */
export function withItemTag(request: Request, response: Response, version: number | undefined, item: object): Response {
  // The conditions of a change were evaluated before it (`checkPreconditions`).
  if (isSafe(request)) checkIfMatch(request, version, item);
  if (version === undefined) return response;
  const { body } = response;
  const suffix = typeof body === "string" ? `-${markOf(item)}${hash("sha1", body, "base64url").slice(0, 16)}` : "";
  const tag = `"${version}${suffix}"`;
  const tagged = response.withHeader("etag", tag);
  return isSafe(request) && isUnchanged(request, tag) ? notModified(tagged) : tagged;
}

/** Returns true for a request that changes nothing. */
export const isSafe = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/**
 * Evaluates `If-Match` and `If-None-Match` of a request that changes an item (RFC 9110 §13.1). Returns true if it has
 * `If-Match`. Without versions, there is no strong tag that `If-Match` could list.
 *
 * @throws E_PRECONDITION_FAILED (412), E_IF_MATCH_INVALID (400)
 */
export function checkPreconditions(request: Request, version?: number, item: object = {}): boolean {
  const hasIfMatch = checkIfMatch(request, version, item);
  const ifNoneMatch = request.header("if-none-match");
  if (ifNoneMatch !== undefined && listsVersion(ifNoneMatch, version, item)) throw errors.E_PRECONDITION_FAILED();
  return hasIfMatch;
}

function checkIfMatch(request: Request, version: number | undefined, item: object): boolean {
  const ifMatch = request.header("if-match");
  if (ifMatch === undefined) return false;
  const tags = parseEntityTags(ifMatch);
  if (tags === undefined) throw errors.E_IF_MATCH_INVALID();
  if (tags !== "*" && !tags.some((tag) => isTagOf(tag, version, item))) throw errors.E_PRECONDITION_FAILED();
  return true;
}

// Shorter tags are not made here: they name a version alone.
const versionTag = /^"(0|[1-9][0-9]{0,15})(?:-(?:([\w-]{8})[\w-]{16,}|[\w-]+))?"$/;

/** Returns the mark of an item: another one for an item that was deleted and made again, whose versions begin anew. */
function markOf(item: object): string {
  const { id, created_at } = item as { readonly id?: unknown; readonly created_at?: unknown };
  return hash("sha1", JSON.stringify([id, created_at]), "base64url").slice(0, 8);
}

/** Returns true if `If-None-Match` is a star or lists a tag of the version, weak or strong. */
function listsVersion(header: string, version: number | undefined, item: object): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || (tags?.some((tag) => isTagOf(tag.replace(/^W\//, ""), version, item)) ?? false);
}

function isTagOf(tag: string, version: number | undefined, item: object): boolean {
  const [, digits, mark] = versionTag.exec(tag) ?? [];
  if (version === undefined || digits !== String(version)) return false;
  return mark === undefined || mark === markOf(item);
}
