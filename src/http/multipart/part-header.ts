import { sanitizeFilename } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { decodeText } from "../message/request-body.ts";
import { parametersOf } from "./boundary.ts";

/** What the header of a part says. */
export interface PartHeader {
  readonly name: string;
  /** `undefined` for a field that is no file; empty when no file was chosen. */
  readonly filename: string | undefined;
  readonly contentType: string;
}

/** Bytes that the header of a part may have: twice what the longest names take that file systems allow. */
export const headerSize = 8192;
const headerLines = 16;

const malformed = (reason: string): Error => errors.E_BODY_MALFORMED(reason);

/**
 * Reads the header of a part (RFC 7578 §4). Only what browsers send is taken: what can be understood in two ways is
 * refused.
 *
 * @throws E_BODY_MALFORMED
 */
export function parsePartHeader(block: Uint8Array): PartHeader {
  const fields = fieldsOf(decodeText(block));
  const parameters = parametersOf(fields.get("content-disposition") ?? "", "form-data");
  const name = parameters?.get("name");
  if (parameters === undefined || name === undefined) throw malformed("has a part without a name");
  if (parameters.has("filename*")) throw malformed("has a part with filename*, which forms do not use (RFC 7578 §4.2)");
  const filename = parameters.get("filename");
  const contentType = fields.get("content-type") ?? "";
  const encoding = fields.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["binary", "7bit", "8bit"].includes(encoding)) {
    throw malformed("has a part with a Content-Transfer-Encoding, which forms do not use (RFC 7578 §4.7)");
  }
  if (filename === undefined && /^multipart\//i.test(contentType)) {
    throw malformed("has a part of several parts, which forms do not use (RFC 7578 §4.3)");
  }
  return {
    name: unescaped(name),
    filename: filename === undefined || filename === "" ? filename : sanitizeFilename(unescaped(filename)),
    contentType: contentType === "" ? "application/octet-stream" : contentType,
  };
}

function fieldsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\r\n");
  if (lines.length > headerLines) throw malformed(`has a part with more than ${headerLines} header lines`);
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    // A continued line has white space where a name would be.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || hasControl(line)) throw malformed("has a part with a malformed header");
    if (fields.has(name)) throw malformed(`has a part with the header ${name} twice`);
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

/** Whether there is a control character other than a tab. */
const hasControl = (line: string): boolean => /[^\P{Cc}\t]/u.test(line);

/** Browsers write the three characters that would end a name so (HTML, "multipart/form-data encoding algorithm"). */
function unescaped(text: string): string {
  return text.replaceAll(/%(?:22|0D|0A)/g, (escape) => decodeURIComponent(escape));
}
