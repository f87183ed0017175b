import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";

/** Returns the text of a file; `undefined` if there is none, or if it is not UTF-8: writing it would change other characters. */
export function readUtf8File(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const bytes = readFileSync(path);
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** Returns a text with the line ends of another one, those of Windows or of Unix. */
export const withLineEndsOf = (other: string, text: string): string =>
  other.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text;
