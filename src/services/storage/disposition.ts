/**
 * A `Content-Disposition` (RFC 6266): the name in ASCII for old programs, and, when that is not all of it, in UTF-8
 * (RFC 8187).
 */
export function disposition(type: "inline" | "attachment", filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  const header = `${type}; filename="${plain}"`;
  return plain === filename ? header : `${header}; filename*=UTF-8''${encode(filename)}`;
}

// What RFC 8187 lets stand as it is (attr-char) is less than what encodeURIComponent does.
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
