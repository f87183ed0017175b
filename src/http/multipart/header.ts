import { sanitizeFilename } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { decodeText } from "../message/request-body.ts";

// Parameter of a header, RFC 9110 §5.6.6, with white space only where these headers have it.
const parameterPattern = /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\[^])*)")[ \t]*/y;

/**
 * Parses the parameters of a header such as `form-data; name="a"`, names in lower case. Returns `undefined` if it has
 * another value, is malformed, or repeats a parameter.
 */
function parseHeaderParameters(header: string, value: string): ReadonlyMap<string, string> | undefined {
  if (!header.toLowerCase().startsWith(value)) return undefined;
  const parameters = new Map<string, string>();
  let index = value.length;
  while (index < header.length) {
    parameterPattern.lastIndex = index;
    const [match, name = "", token, quoted = ""] = parameterPattern.exec(header) ?? [];
    if (match === undefined || parameters.has(name.toLowerCase())) return undefined;
    // Browsers do not escape backslashes in file names, so only these two pairs are escapes.
    parameters.set(name.toLowerCase(), token ?? quoted.replaceAll(/\\(["\\])/g, "$1"));
    index += match.length;
  }
  return parameters;
}

/** Returns the boundary of a multipart form (RFC 2046 §5.1.1). @throws E_CONTENT_TYPE without a valid boundary */
export function parseBoundary(contentType: string | undefined): string {
  const boundary = parseHeaderParameters(contentType ?? "", "multipart/form-data")?.get("boundary");
  if (boundary === undefined || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw errors.E_CONTENT_TYPE(contentType, "multipart/form-data with a boundary");
  return boundary;
}

/** Parsed header of a part. */
export interface PartHeader {
  /** Name of the form field. */
  readonly name: string;
  /** File name; `undefined` for a field that is not a file, empty if no file was chosen. */
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** Maximum size of the header of a part, in bytes: twice as much as the longest names of file systems need. */
export const maxPartHeaderBytes = 8192;
const maxPartHeaderLines = 16;

const malformed = (reason: string): Error => errors.E_BODY_MALFORMED(reason);

/**
 * Parses the header of a part (RFC 7578 §4). One that two parsers could read differently is refused.
 *
 * @throws E_BODY_MALFORMED
 */
export function parsePartHeader(block: Uint8Array): PartHeader {
  const fields = parseFields(decodeText(block));
  const parameters = parseHeaderParameters(fields.get("content-disposition") ?? "", "form-data");
  const name = parameters?.get("name");
  if (parameters === undefined || name === undefined) throw malformed("has a part without a name");
  const filename = parameters.get("filename");
  // Beside `filename`, as .NET sends it, it is ignored.
  if (filename === undefined && parameters.has("filename*")) {
    throw malformed("has a part with filename* alone, which forms do not use (RFC 7578 §4.2)");
  }
  const contentType = fields.get("content-type") ?? "";
  const encoding = fields.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["binary", "7bit", "8bit"].includes(encoding)) {
    throw malformed("has a part with a Content-Transfer-Encoding, which forms do not use (RFC 7578 §4.7)");
  }
  if (filename === undefined && /^multipart\//i.test(contentType)) {
    throw malformed("has a part of several parts, which forms do not use (RFC 7578 §4.3)");
  }
  return {
    name: unescapeName(name),
    filename: filename === undefined || filename === "" ? filename : sanitizeFilename(unescapeName(filename)),
    contentType: contentType === "" ? "application/octet-stream" : contentType,
  };
}

function parseFields(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\r\n");
  if (lines.length > maxPartHeaderLines)
    throw malformed(`has a part with more than ${maxPartHeaderLines} header lines`);
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    // A folded line has white space instead of a name, and is refused as well.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || hasControlCharacter(line)) {
      throw malformed("has a part with a malformed header");
    }
    if (fields.has(name)) throw malformed(`has a part with the header ${name} twice`);
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

const hasControlCharacter = (line: string): boolean => /[^\P{Cc}\t]/u.test(line);

/** Decodes the three characters that browsers escape in names (HTML, "multipart/form-data encoding algorithm"). */
function unescapeName(text: string): string {
  return text.replaceAll(/%(?:22|0D|0A)/g, (escape) => decodeURIComponent(escape));
}
