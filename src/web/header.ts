import { errors } from "./errors.ts";

/** Header fields as they stand on the wire: name, value, name, value. */
export type FlatHeaders = readonly string[];

/** How headers are given to a response: by name, with one value or several, or as pairs. */
export type HeadersInit =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The field as it may be sent: its name in lower case, its value unchanged (RFC 9110 §5.1, §5.5).
 *
 * @throws E_HEADER_INVALID when the name is no token, or the value holds CR, LF, NUL or anything beyond Latin-1.
 */
export function checkHeader(name: string, value: string): string {
  if (!token.test(name)) throw errors.E_HEADER_INVALID(name);
  checkValue(name, value);
  return name.toLowerCase();
}

/** @throws E_HEADER_INVALID when the value is none that HTTP can send. */
export function checkValue(name: string, value: string): void {
  if (typeof value !== "string" || !fieldValue.test(value)) throw errors.E_HEADER_INVALID(name);
}

/**
 * Headers in flat form, names in lower case.
 *
 * @throws E_HEADER_INVALID
 */
export function flatten(init: HeadersInit | undefined): readonly string[] {
  if (init === undefined) return none;
  const flat: string[] = [];
  const pairs = Symbol.iterator in init ? (init as Iterable<readonly [string, string]>) : Object.entries(init);
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) {
      flat.push(checkHeader(name, one), one);
    }
  }
  return flat;
}

/** No headers at all. */
export const none: FlatHeaders = Object.freeze([]);

/**
 * The value of a field, or `undefined`. A field that is repeated gives its values joined by commas, as RFC 9110 §5.3
 * says, cookies by semicolons (RFC 6265 §5.4).
 *
 * @param name in lower case
 */
export function findHeader(headers: FlatHeaders, name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const candidate = headers[at] as string;
    if (candidate.length !== name.length || (candidate !== name && candidate.toLowerCase() !== name)) continue;
    const value = headers[at + 1] as string;
    found = found === undefined ? value : `${found}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return found;
}

/** The headers without those of a name (in lower case). The same array when there is none. */
export function withoutHeader(headers: FlatHeaders, name: string): FlatHeaders {
  let kept: string[] | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) kept ??= headers.slice(0, at);
    else kept?.push(headers[at] as string, headers[at + 1] as string);
  }
  return kept ?? headers;
}
