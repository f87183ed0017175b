/**
 * Formats a `Content-Disposition` header (RFC 6266). The filename is in ASCII for old clients. If that differs from the
 * original, it is also in UTF-8 (RFC 8187).
 */
export function contentDisposition(type: "inline" | "attachment", filename: string): string {
  const asciiName = filename.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  const header = `${type}; filename="${asciiName}"`;
  return asciiName === filename ? header : `${header}; filename*=UTF-8''${encodeExtendedValue(filename)}`;
}

// RFC 8187 allows fewer unencoded characters (attr-char) than encodeURIComponent leaves.
const encodeExtendedValue = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
