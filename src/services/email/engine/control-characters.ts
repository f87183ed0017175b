/**
 * Returns true if a text has a control character or line separator: CR, LF, NUL, U+2028 and others. These could end the
 * header line and start another one (header injection, CWE-93).
 */
export function hasControlCharacter(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}

/** Returns the problem of a text for one header line, worded to follow the field's name, or `undefined`. */
export function findLineProblem(text: string, maxLength: number): string | undefined {
  if (hasControlCharacter(text)) return "contains a line break or another control character";
  if (!text.isWellFormed()) return "contains a lone surrogate";
  return text.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
}

/** Like `findLineProblem`, and refuses encoded words (RFC 2047 §2), which mail clients would decode. */
export function findHeaderProblem(text: string, maxLength: number): string | undefined {
  const hasEncodedWord = /=\?[^?\s]+\?[bq]\?[^?]*\?=/i.test(text);
  return findLineProblem(text, maxLength) ?? (hasEncodedWord ? "contains an encoded word" : undefined);
}
