// A language with the German texts in full-width letters. A text of its pages in ASCII letters is in no catalogue, so that all
// other languages show it too. Japanese is the language, because its dates have no ASCII letters.
import { de } from "./de.ts";

const fullWidthOffset = 0xfee0;
/** Offset of letters in the private use area, which stand for those of a value while a function of a catalogue writes it. */
const valueOffset = 0xe000;

/** Moves the letters of a text that match a pattern by an offset. */
const move = (text: string, letters: RegExp, offset: number): string =>
  text.replaceAll(letters, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + offset));

/** Changes the texts of a value, a list or an object. */
function change(value: unknown, changeText: (text: string) => string): unknown {
  if (typeof value === "string") return changeText(value);
  if (Array.isArray(value)) return value.map((entry: unknown) => change(entry, changeText));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, change(entry, changeText)]));
}

/** Returns the text of a catalogue in full-width letters, with its values unchanged. */
const widen = (text: string): string =>
  text.replaceAll(/\{[^}]*\}|[^{]+/g, (part) =>
    part.startsWith("{") ? part : move(move(part, /[A-Za-z]/g, fullWidthOffset), /[\ue000-\ue07f]/g, -valueOffset),
  );

type Write = (...values: unknown[]) => unknown;

/** Returns a catalogue in full-width letters. Placeholders and values keep theirs. */
export function fullWidth<Catalogue extends object>(catalogue: Catalogue): Catalogue {
  const entries = Object.entries(catalogue).map(([key, entry]: [string, unknown]) => {
    if (typeof entry === "object" && entry !== null && !Array.isArray(entry)) return [key, fullWidth(entry)];
    if (typeof entry !== "function") return [key, change(entry, widen)];
    const hide = (text: string): string => move(text, /[A-Za-z]/g, valueOffset);
    const write: Write = (...values) => change((entry as Write)(...values.map((value) => change(value, hide))), widen);
    return [key, write];
  });
  return Object.fromEntries(entries) as Catalogue;
}

export const ja = fullWidth(de);
