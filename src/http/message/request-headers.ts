import { Random } from "../../random/index.ts";
import { errors } from "../errors.ts";

/** Parses a `Content-Type`: the media type in lower case, and its `charset`, if any (RFC 9110 §8.3.1). */
function parseContentType(header: string): { readonly type: string; readonly charset: string | undefined } {
  const semicolon = header.indexOf(";");
  if (semicolon === -1) return { type: header.trim().toLowerCase(), charset: undefined };
  const charset = /;[ \t]*charset=(?:"([^"]*)"|([^;,\s]*))[ \t]*(?:;|$)/i.exec(header);
  const type = header.slice(0, semicolon).trim().toLowerCase();
  return { type, charset: (charset?.[1] ?? charset?.[2])?.toLowerCase() };
}

const jsonType = "application/json";
const formType = "application/x-www-form-urlencoded";

/** Returns the media type of a header. Most headers hold nothing else, and are not parsed. */
const mediaTypeOf = (header: string): string =>
  header === jsonType || header === formType ? header : parseContentType(header).type;

/** @throws E_CONTENT_TYPE unless the header names the type, in UTF-8 if it has a charset */
function requireType(header: string | undefined, wanted: string, isAllowed: (type: string) => boolean): void {
  if (header === undefined) throw errors.E_CONTENT_TYPE(undefined, wanted);
  const { type, charset } = parseContentType(header);
  const isUtf8 = charset === undefined || charset === "utf-8" || charset === "utf8";
  if (!isAllowed(type) || !isUtf8) throw errors.E_CONTENT_TYPE(header, wanted);
}

/** Returns true if a `Content-Type` is `application/json` or ends in `+json`. */
export function isJson(header: string | undefined): boolean {
  return header !== undefined && isJsonType(mediaTypeOf(header));
}

const isJsonType = (type: string): boolean => type === jsonType || /^[^/]+\/[^/]+\+json$/.test(type);

/** @throws E_CONTENT_TYPE unless the type is `application/json` or ends in `+json` */
export function requireJson(header: string | undefined): void {
  if (header !== jsonType) requireType(header, jsonType, isJsonType);
}

/** Returns true for the `Content-Type` of an HTML form without files. */
export function isForm(header: string | undefined): boolean {
  return header !== undefined && mediaTypeOf(header) === formType;
}

/** Returns true for the `Content-Type` of an HTML form with files. */
export function isMultipart(header: string | undefined): boolean {
  return header !== undefined && mediaTypeOf(header) === "multipart/form-data";
}

/** @throws E_CONTENT_TYPE unless the type is `application/x-www-form-urlencoded` */
export function requireForm(header: string | undefined): void {
  if (header === formType) return;
  const wanted = header?.toLowerCase().startsWith("multipart/form-data")
    ? `${formType} (a form without enctype); a form with files is read by upload() or parts()`
    : formType;
  requireType(header, wanted, (type) => type === formType);
}

const lastDigits = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, "0"));
let latestId = { firstDigits: "", count: 0 };

/**
 * Returns a unique request identifier of 16 hexadecimal digits: 14 random ones, drawn once per 256 requests, and a
 * counter. It is not secret. A UUID per request would cost more than routing it.
 */
export function generateRequestId(): string {
  if (latestId.count === 0) latestId = { firstDigits: Random.hex(7), count: 0 };
  const id = latestId.firstDigits + (lastDigits[latestId.count] as string);
  latestId.count = (latestId.count + 1) % 256;
  return id;
}

/** Returns the identifier set by a proxy if it is safe to log: 1 to 128 letters, digits, `.`, `_` and `-`. */
export function validRequestId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.-]{1,128}$/.test(id) ? id : undefined;
}
