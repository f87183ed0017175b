/** Formats `Content-Disposition` (RFC 6266): the filename in ASCII, and in UTF-8 if that differs (RFC 8187). */
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
