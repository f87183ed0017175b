import type { HtmlElement } from "./html-tree.ts";

/**
 * Returns the numbers of the items of an ordered list by `start`, `reversed` and the `value` of items (HTML, 4.4.5), in the
 * format of `type`.
 */
export function itemNumbers({ attributes, children }: HtmlElement): ReadonlyMap<HtmlElement, string> {
  const items = children.filter((child) => typeof child !== "string" && child.name === "li") as readonly HtmlElement[];
  const isReversed = attributes.has("reversed");
  let number = readInteger(attributes.get("start")) ?? (isReversed ? items.length : 1);
  return new Map(
    items.map((item) => {
      const itemNumber = readInteger(item.attributes.get("value")) ?? number;
      number = itemNumber + (isReversed ? -1 : 1);
      return [item, formatNumber(itemNumber, item.attributes.get("type") ?? attributes.get("type"))];
    }),
  );
}

/** Parses an integer as attributes have it (HTML, 2.3.4.1). */
function readInteger(text = ""): number | undefined {
  const digits = /^[\t\n\f\r ]*([+-]?\d+)/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function formatNumber(number: number, type: string | undefined): string {
  switch (type) {
    case "a":
      return toLetters(number);
    case "A":
      return toLetters(number).toUpperCase();
    case "i":
      return toRoman(number);
    case "I":
      return toRoman(number).toUpperCase();
    default:
      return String(number);
  }
}

/** Returns a number in letters: a to z, aa, ab (CSS Counter Styles 3, 6.2). Numbers below 1 have no letters. */
function toLetters(number: number): string {
  if (number < 1) return String(number);
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

const romanDigits = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
] as const;

/** Returns a number in Roman digits, which exist from 1 to 3,999. */
function toRoman(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  let rest = number;
  let digits = "";
  for (const [value, digit] of romanDigits) {
    digits += digit.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return digits;
}
