import { errors } from "../errors.ts";
import { checkCount } from "./parameters.ts";

/** The fields of a form in the order in which they were sent, repeated ones repeated. */
export type FormEntries = readonly (readonly [name: string, value: string])[];

/** The media type of a `Content-Type` in lower case, and its `charset`, if any (RFC 9110 §8.3.1). */
function parseContentType(header: string): { readonly type: string; readonly charset: string | undefined } {
  const semicolon = header.indexOf(";");
  if (semicolon === -1) return { type: header.trim().toLowerCase(), charset: undefined };
  const charset = /;[ \t]*charset=(?:"([^"]*)"|([^;,\s]*))[ \t]*(?:;|$)/i.exec(header);
  return {
    type: header.slice(0, semicolon).trim().toLowerCase(),
    charset: (charset?.[1] ?? charset?.[2])?.toLowerCase(),
  };
}

const jsonType = "application/json";
const formType = "application/x-www-form-urlencoded";

/** The media type of a header; most say it plainly. */
const typeOf = (header: string): string =>
  header === jsonType || header === formType ? header : parseContentType(header).type;

/** @throws E_CONTENT_TYPE unless the header names the type, in UTF-8 if it says a charset. */
function demandType(header: string | undefined, wanted: string, isRight: (type: string) => boolean): void {
  if (header === undefined) throw errors.E_CONTENT_TYPE(undefined, wanted);
  const { type, charset } = parseContentType(header);
  const isUtf8 = charset === undefined || charset === "utf-8" || charset === "utf8";
  if (!isRight(type) || !isUtf8) throw errors.E_CONTENT_TYPE(header, wanted);
}

/** Whether a `Content-Type` is `application/json` or ends in `+json`. */
export function isJson(header: string | undefined): boolean {
  return header !== undefined && isJsonType(typeOf(header));
}

const isJsonType = (type: string): boolean => type === jsonType || /^[^/]+\/[^/]+\+json$/.test(type);

/** @throws E_CONTENT_TYPE unless the type is `application/json` or ends in `+json`. */
export function demandJson(header: string | undefined): void {
  if (header !== jsonType) demandType(header, jsonType, isJsonType);
}

/** Whether a `Content-Type` is that of an HTML form without files. */
export function isForm(header: string | undefined): boolean {
  return header !== undefined && typeOf(header) === formType;
}

/** Whether a `Content-Type` is that of an HTML form with files. */
export function isMultipart(header: string | undefined): boolean {
  return header !== undefined && typeOf(header) === "multipart/form-data";
}

/** @throws E_CONTENT_TYPE unless the type is that of an HTML form without files. */
export function demandForm(header: string | undefined): void {
  if (header === formType) return;
  const wanted = header?.toLowerCase().startsWith("multipart/form-data")
    ? `${formType} (a form without enctype); a form with files is read by upload() or parts()`
    : formType;
  demandType(header, wanted, (type) => type === formType);
}

// A byte order mark is kept and so refused by the parsers: RFC 8259 §8.1 forbids to send it.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws E_BODY_MALFORMED when the bytes are no UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw errors.E_BODY_MALFORMED("is not valid UTF-8");
  }
}

/**
 * The value of a JSON body. Keys called `__proto__` are left out, because assigning them to an object changes its
 * prototype.
 *
 * @throws E_BODY_MALFORMED
 */
export function decodeJson(bytes: Uint8Array): unknown {
  const text = decodeText(bytes);
  try {
    // A key can only be spelled so that it holds the plain word or an escape.
    return text.includes("__proto__") || (text.includes("\\u") && /\\u00(?:5f|70|72|6f|74)/i.test(text))
      ? JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value))
      : JSON.parse(text);
  } catch {
    throw errors.E_BODY_MALFORMED("is not valid JSON");
  }
}

/**
 * The fields of an urlencoded body.
 *
 * @throws E_TOO_MANY_PARAMETERS, E_BODY_MALFORMED for broken escapes and for bytes that are no UTF-8.
 */
export function decodeForm(bytes: Uint8Array, limit: number): FormEntries {
  const text = decodeText(withSpaces(bytes));
  checkCount(text, "form", limit);
  try {
    return text
      .split("&")
      .filter((pair) => pair !== "")
      .map(decodePair);
  } catch {
    throw errors.E_BODY_MALFORMED("has a malformed percent-escape");
  }
}

/** Plus signs stand for spaces. Replacing a million of them in a string takes fifty times as long as in bytes. */
function withSpaces(bytes: Uint8Array): Uint8Array {
  const first = bytes.indexOf(plus);
  if (first === -1) return bytes;
  const copy = Buffer.from(bytes);
  for (let at = first; at < copy.length; at++) if (copy[at] === plus) copy[at] = 0x20;
  return copy;
}

const plus = 0x2b;

function decodePair(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf("=");
  return at === -1 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
}

const decode = (text: string): string => (text.includes("%") ? decodeURIComponent(text) : text);
