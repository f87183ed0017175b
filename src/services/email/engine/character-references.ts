import { lazy } from "../../../core/index.ts";
import { namedCharacters, namesWithoutSemicolon } from "./named-characters.ts";

/** Longest name: `CounterClockwiseContourIntegral`. */
const longestNameLength = 31;
const reference = new RegExp(
  `&(?:#(?<decimal>\\d+);?|#x(?<hex>[\\da-f]+);?|(?<name>[a-z][\\da-z]{0,${longestNameLength - 1}})(?<end>;?))`,
  "gi",
);

/**
 * Decodes the character references of an HTML text as browsers do (HTML, 13.2.5.72 to 13.2.5.80): all names of the
 * standard, some of them without a semicolon, and numbers. Unknown names stay as they are.
 *
 * In an attribute, a name without a semicolon stays before `=`, a letter or a digit: `?a=1&copy=2`.
 */
export function decodeCharacterReferences(html: string, isAttribute = false): string {
  if (!html.includes("&")) return html;
  return html.replaceAll(reference, (match: string, ...groups: readonly unknown[]) => {
    const { decimal, hex, name = "", end } = groups.at(-1) as Readonly<Record<string, string | undefined>>;
    if (decimal !== undefined) return fromCode(Number(decimal));
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
    const { names, shortNames } = characters();
    const character = end === ";" ? names.get(name) : undefined;
    if (character !== undefined) return character;
    const prefix = longestPrefix(name, shortNames);
    const offset = groups.at(-3) as number;
    const next = html.charAt(offset + 1 + prefix.length);
    if (prefix === "" || (isAttribute && /[=\da-z]/i.test(next))) return match;
    return `${names.get(prefix)}${match.slice(1 + prefix.length)}`;
  });
}

/** Returns the character of a number. Numbers of Windows-1252 between 80 and 9F have its characters (HTML, 13.2.5.80). */
function fromCode(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return new TextDecoder("windows-1252").decode(Uint8Array.of(code));
  const isValid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isValid ? String.fromCodePoint(code) : "\ufffd";
}

function longestPrefix(name: string, names: ReadonlySet<string>): string {
  for (let length = Math.min(name.length, 6); length > 1; length -= 1) {
    const prefix = name.slice(0, length);
    if (names.has(prefix)) return prefix;
  }
  return "";
}

const characters = lazy(() => ({
  names: new Map(
    wordsOf(namedCharacters).flatMap((entry) => {
      const [codes = "", names = ""] = entry.split(":");
      const character = String.fromCodePoint(...codes.split(".").map((code) => Number.parseInt(code, 16)));
      return names.split(",").map((name) => [name, character] as const);
    }),
  ),
  shortNames: new Set(wordsOf(namesWithoutSemicolon)),
}));

const wordsOf = (table: string): readonly string[] => table.trim().split(/\s+/);
