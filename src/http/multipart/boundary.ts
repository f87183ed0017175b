import { errors } from "../errors.ts";

// A parameter of a header, RFC 9110 §5.6.6; white space only where it stands in headers of this kind.
const parameter = /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\[^])*)")[ \t]*/y;

/**
 * The parameters of a header that says this and nothing else, by their names in lower case: `form-data; name="a"`.
 *
 * @returns `undefined` when it says something else, is not well formed, or has a parameter twice.
 */
export function parametersOf(header: string, what: string): ReadonlyMap<string, string> | undefined {
  if (!header.toLowerCase().startsWith(what)) return undefined;
  const found = new Map<string, string>();
  let at = what.length;
  while (at < header.length) {
    parameter.lastIndex = at;
    const [all, name = "", token, quoted = ""] = parameter.exec(header) ?? [];
    if (all === undefined || found.has(name.toLowerCase())) return undefined;
    // Browsers leave backslashes in names of files as they are, so that only these two pairs are escapes.
    found.set(name.toLowerCase(), token ?? quoted.replaceAll(/\\(["\\])/g, "$1"));
    at += all.length;
  }
  return found;
}

/**
 * What stands between the parts of a multipart form, by its `Content-Type` (RFC 2046 §5.1.1).
 *
 * @throws E_CONTENT_TYPE when it is of another type, or has no boundary, several, or one that cannot be.
 */
export function boundaryOf(contentType: string | undefined): string {
  const boundary = parametersOf(contentType ?? "", "multipart/form-data")?.get("boundary");
  if (boundary === undefined || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw errors.E_CONTENT_TYPE(contentType, "multipart/form-data with a boundary");
  return boundary;
}
