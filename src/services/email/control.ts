/**
 * Whether a text has a control character, or one that starts a new line somewhere: CR, LF, NUL, U+2028. With these a
 * text could end the line that it stands in and write the next (CWE-93).
 */
export function hasControl(text: string): boolean {
  return /[\p{Cc}\u2028\u2029]/u.test(text);
}

/** What is wrong with a text that must stand on one line of a header, continuing the name of its field. */
export function lineProblem(text: string, longest: number): string | undefined {
  if (hasControl(text)) return "has a line break or another control character in it";
  if (!text.isWellFormed()) return "has half of a character in it";
  return text.length > longest ? `is longer than ${longest} characters` : undefined;
}

/** The same for a text that goes into the line as it is, where a mail program would decode what looks encoded (RFC 2047 §2). */
export function headerProblem(text: string, longest: number): string | undefined {
  const isEncoded = /=\?[^?\s]+\?[bq]\?[^?]*\?=/i.test(text);
  return lineProblem(text, longest) ?? (isEncoded ? "has a word in it that is encoded for mail already" : undefined);
}
